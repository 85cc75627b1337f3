package power

import (
	"context"
	"errors"

	"github.com/oncespec/oncespec/faults/life"
)

// herd are servers that are frozen together.
type herd []life.Life

// Pause freezes one after the other: nothing is sent to any of them meanwhile.
func (all herd) Pause(ctx context.Context) error {
	var errs []error
	for _, l := range all {
		errs = append(errs, l.Pause(ctx))
	}
	return errors.Join(errs...)
}

// Resume has them go on together, as a target's replicas do.
func (all herd) Resume(ctx context.Context) error {
	return errors.Join(life.ResumeAll(ctx, all)...)
}
