// Package conflict asks what becomes of a changed payload under a key that is in use: it is refused, it has no effect, it
// leaves the first one alone, and it learns nothing of it.
//
// Four scenarios act (changed.go, disclosure.go, in_flight.go, after_failure.go); the rules beside them judge. The package
// must not know how a changed payload is made. Start reading at changed.go, then refusal_rule.go.
package conflict
