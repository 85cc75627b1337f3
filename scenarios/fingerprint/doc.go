// Package fingerprint is the pack that asks which changed requests a target takes for the same request.
//
// pair.go sends one pair: A, then B = rewrite(A) under A's key, then B under a key of its own. pair_rule.go tells what became
// of B. The requirements differ only in which rewrites they look at and what they allow. screen.go sends one A and many B's under
// one key, which costs little and hints at what to look at closely; hunt.go is what a search outside of a run builds on. Start
// reading at sendPair.
package fingerprint
