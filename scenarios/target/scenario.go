package target

import (
	"context"
	"slices"

	"github.com/oncespec/oncespec/scenarios/catalogue"
)

// Procedure acts: it sends, faults and observes on a stage, and leaves histories. It never judges; it may steer by what
// Classify says of an answer. An error means that it could not go on (see Abort); what an API answers is never an error.
type Procedure func(ctx context.Context, s *Stage) error

// Scenario is a named procedure.
type Scenario struct {
	ID       string // "lost/response"
	Sentence string // what it does, for plans and listings
	Needs    []catalogue.Need
	Run      Procedure
	// Late goes on where Run ended, on the same stage, when much else was done: before anything is killed, and before the last
	// count. Nil: there is no more to do.
	Late Procedure
	// Kills says that the target may be ended although Needs do not ask for it. Such scenarios run after the others.
	Kills bool
	// Ages says that the target's time is moved: everything that it remembers grows old. Such scenarios run last of all, when
	// all that the others did was counted.
	Ages bool
}

// Ends tells whether the scenario may end the target.
func (s Scenario) Ends() bool {
	return s.Kills || slices.Contains(s.Needs, catalogue.NeedLifecycle) || slices.Contains(s.Needs, catalogue.NeedStop)
}
