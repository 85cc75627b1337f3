// Package status holds what an operation's status resource tells a caller who does not know what became of a request: that it
// can be found, how far it is, how it ended, and nothing to anybody else.
//
// The package must not know where the resource is or how a target spells its states. Start reading at by_key.go, then
// by_key_rule.go.
package status
