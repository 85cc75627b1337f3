package reference

// Event is something that happened to a key: one of Claim, Complete, Fail, Crash, TakeOver and Expire.
type Event interface{ event() }

// Claim is a whole, valid request that carries the key.
type Claim struct {
	Scope, Key  string
	Fingerprint string
	Owner       string // names this attempt and no other, ever
}

// Complete is an owner's report that the work is done. It belongs into the transaction that makes the effect.
type Complete struct {
	Owner   string
	Version int64 // of the record that the owner got with its claim or takeover
	Answer  Answer
}

// Fail is an owner's report that the work is not done and has no effect, or that it cannot tell.
type Fail struct {
	Owner     string
	Version   int64
	Answer    Answer // zero: found out afterwards that nothing was done, so there is nothing to tell
	Invalid   bool   // the payload was refused before any work began
	Uncertain bool   // the effect may have happened, such as a call whose answer was lost
}

// Crash is the news that an owner is gone without a report.
type Crash struct {
	Owner   string
	Version int64
}

// TakeOver is another owner stepping in for one that is gone, is presumed gone, or could not tell the outcome.
type TakeOver struct {
	Owner string // names this attempt and no other, ever
}

// Expire is the end of the key's lifetime, which the sender has to know of: Record.Expires tells.
type Expire struct{}

func (Claim) event()    {}
func (Complete) event() {}
func (Fail) event()     {}
func (Crash) event()    {}
func (TakeOver) event() {}
func (Expire) event()   {}

// Decision is what the one who reported the event does next.
type Decision string

// The decisions.
const (
	Execute   Decision = "execute"   // do the work, as the record's owner and version, calling others under its downstream key
	Replay    Decision = "replay"    // give the record's answer
	Wait      Decision = "wait"      // another owner is at work: wait for it, or tell the caller to come back
	Conflict  Decision = "conflict"  // the key belongs to another request
	Reconcile Decision = "reconcile" // find out whether the work was done before anything else
	TooLate   Decision = "too_late"  // the key's lifetime is over, and the contract refuses it from then on
	Refuse    Decision = "refuse"    // the event does not apply, such as a report of an owner that was replaced; undo what hangs on it
	Recorded  Decision = "recorded"  // noted; nothing more to do
)
