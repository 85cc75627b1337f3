// Package mutants holds the mock with one defect at a time, as data.
//
// Each mutant replaces a stage of flow with one that gets it wrong, in a way seen in real implementations; the correct
// stages know nothing of it. Must and May are the requirements that the conformance suite has to, and may besides, find
// broken: they hold the suite to missing nothing and to raising no false alarm.
//
// The package must not know how the suite finds a defect. Start reading at Mutant, then at the file of the pack that finds them, such
// as conflict.go.
package mutants
