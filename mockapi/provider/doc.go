// Package provider is the gate: it stands in for what the target calls while it works, be it a payment provider, a carrier or
// a deployment controller.
//
// It behaves as a good provider does. A call with a new downstream key books, the same key again is answered the same again
// without booking, and a booking can be looked up by its key. It writes every call into a ledger, which makes it a probe of what
// the target did downstream; and it can be told to hold calls before or after they book, to fail them, or to lose their answers,
// which is how a scenario stops a target in the middle of its work.
//
// It must not know what is being tested: no operation, no contract, no requirement. Who a call belongs to is a [Match] given by
// the caller. It judges nothing.
//
// Start reading at [Listen], then [Gate.Hold] and [Call]; what happens to a call, in order, is in serve.go.
package provider
