package journal

import "os"

// Owner is a program that made something which outlives it. A process number alone is soon another's.
type Owner struct {
	Place   string `json:"place"` // where the number means something: a machine, or a container on it
	PID     int    `json:"pid"`
	Started string `json:"started"` // when, in the system's own units
}

// Self is this program.
func Self() Owner { return Owner{place(), os.Getpid(), startOf(os.Getpid())} }

// Gone tells for certain whether the owner is a program of this place that has ended. Of other places nothing is known.
func (o Owner) Gone() bool {
	return o.PID > 0 && o.Place == place() && o.Started != "" && startOf(o.PID) != o.Started
}
