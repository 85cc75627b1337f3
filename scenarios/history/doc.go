// Package history is what happened in one scenario, in order, as data.
//
// A procedure leaves histories; rules read them and nothing else. Everything a rule needs is therefore in here or in the
// plan of the run: redaction and truncation happen while recording, never later.
//
// The package must not know targets, faults or verdicts. Start reading at History.
package history
