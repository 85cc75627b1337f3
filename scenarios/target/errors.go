package target

// EnvironmentError says that the surroundings do not let the run go on: the target is down or not ready, a port is taken.
type EnvironmentError struct {
	What string // what was being done, for people
	Err  error
}

func (e *EnvironmentError) Error() string { return e.What + ": " + e.Err.Error() }

func (e *EnvironmentError) Unwrap() error { return e.Err }

// LeftBehindError says what could not be ended. It stands in the journal: the next start tries again.
type LeftBehindError struct{ Err error }

func (e *LeftBehindError) Error() string { return e.Err.Error() + "; the next start tries again" }

func (e *LeftBehindError) Unwrap() error { return e.Err }

// ConfigurationError says that the configuration asks for what cannot be done.
type ConfigurationError struct {
	What string // the place in the configuration, for people
	Err  error
}

func (e *ConfigurationError) Error() string { return e.What + ": " + e.Err.Error() }

func (e *ConfigurationError) Unwrap() error { return e.Err }
