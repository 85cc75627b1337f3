// Package downstream judges what a target does to others: whether the calls it makes for one operation carry one key, are
// booked once, and agree with what the target itself shows and says.
//
// It has no scenarios of its own: its rules read the histories of others, at the gate's ledger. The package must not know
// how those came about. Start reading at stable_key_rule.go, then sole_rule.go.
package downstream
