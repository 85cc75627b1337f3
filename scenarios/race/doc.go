// Package race holds what happens when requests arrive together: duplicates, changed payloads under one key, keys of their
// own, duplicates at several instances, and a duplicate of work that is held.
//
// Two requests with one key meet in a window or they do not; two with each of ten keys have ten chances at once. Bursts are
// therefore of both kinds: many with one key, and two with each of many. Where there is a gate, the first to get there is held
// until the others are answered or wait: then they overlapped at the target's own work, however fast it is. How they are
// brought together beyond that is the ladder of package target; what it can see was measured before, on one server, and is
// said with the verdict of duplicates at one instance.
//
// Start reading at one_effect.go, then one_effect_rule.go.
package race
