// Package replay asks what a retry does once the first attempt was answered: nothing, and it says so like the first time.
//
// Three scenarios act (again.go, after_change.go, authorised.go); the rules beside them judge. The package must not know what
// other packs ask. Start reading at again.go, then one_effect_rule.go.
package replay
