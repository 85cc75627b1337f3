package target

// GateURL is where the downstream stub listens, or empty.
func (t *Target) GateURL() string { return t.vars().Downstream }
