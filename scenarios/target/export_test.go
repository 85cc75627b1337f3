package target

import "github.com/oncespec/oncespec/faults/life"

// GateURL is where the downstream stub listens, or empty.
func (t *Target) GateURL() string { return t.vars().Downstream }

// PID is that of the process that the run started.
func (t *Target) PID() int { return t.life.(*life.Process).PID() }
