package life

import (
	"os"
	"strconv"
)

// owner is a program that made something which outlives it. A process number alone is soon another's.
type owner struct {
	place   string // where the number means something: a machine, or a container on it
	pid     int
	started string // when, in the system's own units
}

const (
	labelPlace   = "oncespec.place"
	labelPID     = "oncespec.pid"
	labelStarted = "oncespec.started"
	labelName    = "oncespec.name" // of the container that the thing is for; so no two images have a layer in common
)

// self is this program.
func self() owner { return owner{place(), os.Getpid(), startOf(os.Getpid())} }

func (o owner) labels() map[string]string {
	return map[string]string{labelPlace: o.place, labelPID: strconv.Itoa(o.pid), labelStarted: o.started}
}

// dead tells for certain whether what carries the labels belongs to a program of this place that is gone. Of other places
// nothing is known.
func dead(labels map[string]string) bool {
	pid, err := strconv.Atoi(labels[labelPID])
	return err == nil && labels[labelPlace] == place() && labels[labelStarted] != "" && startOf(pid) != labels[labelStarted]
}
