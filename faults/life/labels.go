package life

import (
	"strconv"

	"github.com/oncespec/oncespec/faults/journal"
)

const (
	labelPlace   = "oncespec.place"
	labelPID     = "oncespec.pid"
	labelStarted = "oncespec.started"
	labelName    = "oncespec.name" // of the container that the thing is for; so no two images have a layer in common
)

// labelsOf say whose a container is, to whoever finds it.
func labelsOf(o journal.Owner) map[string]string {
	return map[string]string{labelPlace: o.Place, labelPID: strconv.Itoa(o.PID), labelStarted: o.Started}
}

// dead tells for certain whether what carries the labels belongs to a program of this place that is gone.
func dead(labels map[string]string) bool {
	pid, err := strconv.Atoi(labels[labelPID])
	return err == nil && journal.Owner{Place: labels[labelPlace], PID: pid, Started: labels[labelStarted]}.Gone()
}
