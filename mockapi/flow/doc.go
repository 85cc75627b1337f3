// Package flow does keyed writes exactly once.
//
// A request becomes a Call; its key is claimed before anything is done; the call downstream that it owes is put into the
// outbox in the claim's transaction, and made from there under the claim's own downstream key; the local effect and the
// claim's completion are one transaction; whatever was interrupted is resolved by asking downstream, never by doing it again
// and hoping. A claim is its server's until that died or was stopped for a lease (member.go). What may happen to a claim when
// is decided by reference.Step alone.
//
//	request ─► Authenticate ─► DecodeKey ─► ReadBody ─► (domain: decode, check) ─► Fingerprint, Identify ─► Claim
//	   Execute   ─► Book ─► Complete or Fail
//	   Replay, Conflict, Wait ─► answer, Deliver
//	   Reconcile ─► Resolve ─► claim again
//	   TooLate   ─► Expired
//
// Each step is a function in Stages. The functions that New puts there are correct; package mutants replaces one at a time
// with a defect. The package must not know routes, tickets or payments. Start reading at Do, then Stages.
package flow
