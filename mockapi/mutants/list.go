package mutants

import "slices"

// List returns all mutants, grouped by what they get wrong.
func List() []Mutant {
	return slices.Concat(keyMutants, claimMutants, replayMutants, conflictMutants, fingerprintMutants,
		lostMutants, failureMutants, crashMutants, statusMutants, forgetMutants, lifetimeMutants,
		outboxMutants)
}
