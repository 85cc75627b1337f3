package mutants

import "slices"

// List returns the mutants that have their defect on any store, grouped by what they get wrong.
func List() []Mutant {
	return slices.Concat(keyMutants, claimMutants, replayMutants, conflictMutants, structureMutants, valueMutants, requestMutants,
		lostMutants, failureMutants, crashMutants, statusMutants, forgetMutants,
		outboxMutants, lifetimeMutants, stormMutants, leaseMutants, stopMutants)
}

// OnPostgres returns those whose defect is in how they use PostgreSQL; they are nothing without it.
func OnPostgres() []Mutant { return slices.Concat(postgresMutants, linkMutants) }
