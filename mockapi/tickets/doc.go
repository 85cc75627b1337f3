// Package tickets is a domain of the mock: tickets that are created, closed and exported, what is attached to them as a form or
// a file, and labels whose identity the client chooses.
//
// Every effect can be counted: a ticket created, its closures, its exports, the changes of a label. The package must not
// know idempotency keys, claims or the provider. Start reading at operations.go, then create.go.
package tickets
