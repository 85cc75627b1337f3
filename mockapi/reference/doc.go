// Package reference is the model of an API that does a retried write exactly once.
//
// It holds one pure function, Step: given a contract, the record of a key, something that happened and the time, it returns
// the record as it is afterwards and what to do. A server keeps records in a store, calls Step inside the transaction that
// reads and writes one, and acts on the decision. The comparison of a target's state with what it should be calls the
// same function.
//
// The package must not know HTTP, stores, clocks or goroutines: no I/O, no time.Now, no global state. The harness's own
// invariants do not call it, since a judge that shares a function with the judged proves nothing. Start reading at Step.
package reference
