// Package ruletest calls rules the way a run does, for their tests: with the catalogue's row, a contract and histories that a
// test wrote by hand.
//
// It must not know how a run gets its histories. Start reading at Judge.
package ruletest
