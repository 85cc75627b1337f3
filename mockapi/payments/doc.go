// Package payments is a domain of the mock: accounts with a balance, and payments that move it.
//
// Amounts are whole minor units of any size and exact. The package must not know idempotency keys, claims or the provider.
// Start reading at operations.go, then create.go.
package payments
