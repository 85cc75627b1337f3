// Package fuzz searches for a pair of requests that a target confuses, and makes it small.
//
// For each operation it replays the cases of the corpus, sweeps the catalogue of rewrites over the sample (screenings: one A,
// many B's), then draws bodies at random and screens them too. What a screening hints at is confirmed under keys of its own and
// judged by the rule of the fingerprint pack; no verdict is made here. The shrinker works on the changes behind a pair, not on
// random bits, so that a target at the other end of a network is asked a few times only.
//
// The package must not know formats of reports or the command line. Start reading at Run, then sweep.go and search.go;
// strategy.go names what the wrong rows have in common.
package fuzz
