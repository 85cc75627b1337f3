package mutants

import "slices"

// List returns the mutants that have their defect on any store, grouped by what they get wrong.
func List() []Mutant {
	return slices.Concat(keyMutants, claimMutants, replayMutants, conflictMutants, fingerprintMutants,
		lostMutants, failureMutants, crashMutants, statusMutants, forgetMutants,
		outboxMutants, lifetimeMutants, postgresMutants)
}
