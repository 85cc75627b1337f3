// Package failure holds what happens when the work fails: downstream says no, or says nothing at all, the payload is refused,
// the handler breaks. What a retry gets then is the contract's choice; that the key stays usable is not.
//
// The package must not know how a failure is brought about. Start reading at transient.go, then transient_rule.go.
package failure
