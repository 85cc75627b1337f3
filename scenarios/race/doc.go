// Package race holds what happens when requests arrive together: duplicates, changed payloads under one key, keys of their
// own, and a duplicate of work that is held.
//
// Where there is a gate, the first of them to get there is held until the others are answered or wait: then they overlapped
// at the target's own work, however fast it is. Without one only their flights can be seen to overlap. The package must
// not know how requests are brought together. Start reading at one_effect.go, then one_effect_rule.go.
package race
