package reference

import (
	"time"

	"github.com/oncespec/oncespec/mockapi/contract"
)

// Step returns the record of a key after an event, and the decision. It is pure: now is the only clock. Where the event does
// not apply the record comes back as it was.
//
//	            Absent    Released  InProgress         Succeeded  Failed    Unknown
//	Claim       Execute   Execute   Wait               Replay     Replay    Reconcile
//	  expired   –         Execute   Wait               as declared          Reconcile
//	  other     –         Conflict  Conflict or Wait   Conflict   Conflict  Conflict
//	Complete    Refuse    Refuse    Recorded           Refuse     Refuse    Recorded
//	Fail        Refuse    Refuse    Recorded           Refuse     Refuse    Recorded
//	  uncertain Refuse    Refuse    Reconcile          Refuse     Refuse    Reconcile
//	Crash       Refuse    Refuse    Reconcile          Recorded   Recorded  Reconcile
//	TakeOver    Refuse    Refuse    Reconcile          Replay     Replay    Reconcile
//	Expire      Recorded  Recorded  Wait               Recorded   Recorded  Reconcile
//
// "other" is a claim with another fingerprint: Wait where the contract puts in flight first, and as an equal one where it
// replays mismatches. A contract that executes them gets Conflict all the same, since no model of exactly once can. "expired"
// is a claim once the lifetime of the record is over: Execute with a new record, or TooLate, as the contract says. So is a
// claim on an Expired record, which refuses all else and is what Expire leaves of a final one where the contract says TooLate.
// Reports of an owner or version that is not the record's are Refuse in every state.
//
// A failure ends in Failed or in Released as the contract says: its stored parameters first, then failed_retry; where both
// leave it open, refusals are kept, and invalid payloads, server errors and "later" answers are released.
func Step(c contract.Contract, r Record, e Event, now time.Time) (Record, Decision) {
	switch e := e.(type) {
	case Claim:
		return claim(c, r, e, now)
	case Complete:
		if !r.open() || !r.heldBy(e.Owner, e.Version) {
			return r, Refuse
		}
		r.State, r.Answer, r.Updated = Succeeded, e.Answer, now
		return r, Recorded
	case Fail:
		return fail(c, r, e, now)
	case Crash:
		return crash(r, e, now)
	case TakeOver:
		return takeOver(r, e, now)
	case Expire:
		return expire(c, r, now)
	}
	return r, Refuse
}

func claim(c contract.Contract, r Record, e Claim, now time.Time) (Record, Decision) {
	if e.Key == "" || e.Owner == "" {
		return r, Refuse
	}
	if r.State == Absent {
		return begin(c, e, 1, now), Execute
	}
	if e.Scope != r.Scope || e.Key != r.Key {
		return r, Refuse // the record of another key was read
	}
	if at, ever := r.Expires(c); r.State == Expired || ever && !now.Before(at) {
		if c.Expired.Action == contract.ActionRefuse && r.State != Released {
			return r, TooLate
		}
		return begin(c, e, r.Version+1, now), Execute
	}
	if e.Fingerprint != r.Fingerprint {
		switch {
		case r.State == InProgress && c.MismatchInFlight == "in-flight":
			return r, Wait
		case r.State == Released, c.Mismatch.Action != contract.ActionReplay:
			return r, Conflict
		}
	}
	switch r.State {
	case Released:
		r.State, r.Owner, r.Version, r.Updated = InProgress, e.Owner, r.Version+1, now
		return r, Execute
	case InProgress:
		return r, Wait
	case Succeeded, Failed:
		return r, Replay
	case Unknown:
		return r, Reconcile
	}
	return r, Refuse
}

// begin is the record of a key that is claimed for the first time in its lifetime.
func begin(c contract.Contract, e Claim, version int64, now time.Time) Record {
	return Record{
		Scope: e.Scope, Key: e.Key, Fingerprint: e.Fingerprint, State: InProgress, Owner: e.Owner, Version: version,
		Downstream: downstreamKey(c, e.Scope, e.Key, now), Created: now, Updated: now,
	}
}

func fail(c contract.Contract, r Record, e Fail, now time.Time) (Record, Decision) {
	if !r.open() || !r.heldBy(e.Owner, e.Version) {
		return r, Refuse
	}
	r.Updated = now
	switch {
	case e.Uncertain:
		r.State = Unknown
		return r, Reconcile
	case kept(c, e):
		r.State, r.Answer = Failed, e.Answer
	default:
		r.State = Released
	}
	return r, Recorded
}

// kept reports whether a failure is answered again rather than tried again.
func kept(c contract.Contract, e Fail) bool {
	status := e.Answer.Status
	if status == 0 {
		return false
	}
	words := []string{c.Stored.ClientErrors}
	if status >= 500 {
		words[0] = c.Stored.ServerErrors
	}
	if e.Invalid {
		words = []string{c.Stored.Validation} // said for this case; the general word is about work that began
	}
	for _, word := range append(words, c.FailedRetry) {
		switch word {
		case "yes", "replay":
			return true
		case "no", "execute", "resume":
			return false
		}
	}
	return !e.Invalid && status < 500 && status != 408 && status != 425 && status != 429
}

func crash(r Record, e Crash, now time.Time) (Record, Decision) {
	switch {
	case !r.heldBy(e.Owner, e.Version) || r.State == Released || r.State == Expired:
		return r, Refuse
	case r.State.Final():
		return r, Recorded
	}
	r.State, r.Updated = Unknown, now
	return r, Reconcile
}

func takeOver(r Record, e TakeOver, now time.Time) (Record, Decision) {
	switch {
	case e.Owner == "" || r.State == Absent || r.State == Released || r.State == Expired:
		return r, Refuse
	case r.State.Final():
		return r, Replay
	}
	r.State, r.Owner, r.Version, r.Updated = Unknown, e.Owner, r.Version+1, now
	return r, Reconcile
}

// expire never drops what is unresolved: a key that is forgotten then would be executed again.
func expire(c contract.Contract, r Record, now time.Time) (Record, Decision) {
	switch r.State {
	case Succeeded, Failed, Expired:
		if c.Expired.Action != contract.ActionRefuse {
			break
		}
		if r.State != Expired {
			r.State, r.Answer, r.Updated = Expired, Answer{}, now
		}
		return r, Recorded
	case InProgress:
		return r, Wait
	case Unknown:
		return r, Reconcile
	}
	return Record{}, Recorded
}

// open reports whether a report of the outcome is awaited.
func (r Record) open() bool { return r.State == InProgress || r.State == Unknown }

func (r Record) heldBy(owner string, version int64) bool {
	return r.State != Absent && r.Owner == owner && r.Version == version
}
