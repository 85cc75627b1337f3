// Package store keeps the mock's claim records and its domain data, and changes both in one transaction.
//
// That one transaction is what the server's promises rest on: a claim is taken atomically before any effect, and an
// effect and the completion of its claim are committed together or not at all. Memory, SQLite and Postgres implement the
// same Store; one conformance test (conformance_test.go) holds all to it, and a further store has to pass the same test.
// SQLite and Postgres may be shared by several processes, and the promises hold across them.
//
// The package must not know what a claim record says, what a document means, or that there is HTTP: both are bytes with
// the few columns that they are found by. Start reading at Store, then Open.
package store
