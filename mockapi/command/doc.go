// Package command says what a domain of the mock (tickets, payments) offers to the server: operations that decode a request
// into a validated command, and commands that can be checked, refused, stored, restored and applied in one transaction.
//
// It is the seam that keeps the domains ignorant of keys, and the claim flow ignorant of tickets. The package must not know
// idempotency keys, claims, routing or HTTP messages beyond status and two header fields. Start reading at Operation.
package command
