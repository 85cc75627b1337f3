package target

import (
	"context"

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
}
