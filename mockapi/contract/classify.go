package contract

import (
	"bytes"
	"net/textproto"
	"slices"
	"strings"
)

// Exchange is what a caller holds after one attempt.
type Exchange struct {
	Lost   bool // no whole answer arrived
	Status int
	Header map[string][]string // canonical names
	Body   []byte              // may be truncated
	Idle   bool                // nothing of the key can have been under way, as with the first attempt of a key
}

// Class is what an answer means under a contract.
type Class string

// The classes. Replay is certain only where the contract declares a marker; without one a replay reads as Result.
const (
	Result         Class = "result"    // a success
	Replay         Class = "replay"    // a success that says it is a repetition
	Mismatch       Class = "mismatch"  // refused: the key belongs to another request
	InFlightAnswer Class = "in-flight" // told to come back
	Refused        Class = "refused"   // any other 4xx or redirect
	Failed         Class = "failed"    // a 5xx that is the target's own
	Unknown        Class = "unknown"   // nobody knows what happened: lost, or listed in UnknownAnswers
)

// Success tells whether the caller has the result, first or replayed.
func (c Class) Success() bool { return c == Result || c == Replay }

// Classify names the one reading of an answer to steer by. It is pure, and claims Mismatch or InFlightAnswer only on a
// declaration or on a signal that HTTP itself defines. In this order:
//
//  1. Lost, and a status that is no final answer (below 200, but for 102; above 599), are Unknown.
//  2. A status declared for in_flight, mismatch or other_operation, with its code in the body where a code is declared, is
//     InFlightAnswer or Mismatch. Only a code declared: it is looked for in every 4xx. Where a status fits both, the one
//     whose code was found wins; else Retry-After means in flight, and its absence mismatch.
//  3. A status listed as an unknown answer is Unknown.
//  4. 2xx and 303 are Replay where the marker says so, else Result.
//  5. Where in_flight declares neither statuses nor code: 102, 423, 425 and 429 are InFlightAnswer, and so is a 409 with
//     Retry-After, also if mismatch declares that status without a code.
//  6. Other 4xx and 3xx are Refused, other 5xx Failed.
//
// What is Idle is neither in flight nor a mismatch for its status alone: that the target uses the status for other refusals
// too is all that it shows. A declared code still counts, and so do 102, 423, 425 and 429, which mean "later" whatever for.
//
// A declared mismatch status that the target also uses for something else, such as 422 for an invalid payload, reads as
// Mismatch: only a control under a fresh key tells them apart, unless missing, malformed or expired declares a code and it is
// there. Whether an answer is *acceptable* for a situation is Refuses's question, not this one.
func (c Contract) Classify(e Exchange) Class {
	if e.Lost || e.Status < 200 && e.Status != 102 || e.Status > 599 {
		return Unknown
	}
	if class, ok := c.declared(e); ok {
		return class
	}
	switch {
	case slices.Contains(c.unknownAnswers(), e.Status):
		return Unknown
	case e.Status < 300 && e.Status != 102, e.Status == 303:
		if c.Marked(e) && c.Marker.OnFirst != "same" {
			return Replay
		}
		return Result
	case e.Status >= 500:
		return Failed
	}
	return Refused
}

// declared settles steps 2 and 5: the two refusals that are about the key.
func (c Contract) declared(e Exchange) (Class, bool) {
	inFlight := match(c.InFlight.Statuses, c.InFlight.Code, e)
	if inFlight == no && c.InFlight.Code == "" && len(c.InFlight.Statuses) == 0 && saysComeBack(e) {
		inFlight = byStatus
	}
	if e.Idle && inFlight == byStatus && (e.Status == 409 || !saysComeBack(e)) {
		inFlight = no
	}
	mismatch := no
	for _, r := range []Response{c.Mismatch, c.OtherOperation} {
		if r.Action == ActionRefuse || r.Action == "" {
			mismatch = max(mismatch, match(r.Statuses, r.Code, e))
		}
	}
	if e.Idle && mismatch == byStatus {
		mismatch = no
	}
	if mismatch != byCode && inFlight != byCode && (match(c.Missing.Statuses, c.Missing.Code, e) == byCode || match(c.Malformed.Statuses, c.Malformed.Code, e) == byCode || match(c.Expired.Statuses, c.Expired.Code, e) == byCode) {
		return Refused, true
	}
	switch {
	case inFlight == no && mismatch == no:
		return "", false
	case inFlight > mismatch, inFlight == mismatch && retryAfter(e):
		return InFlightAnswer, true
	}
	return Mismatch, true
}

// saysComeBack reports the signals that mean "later" whoever sends them: processing, locked, too early, too many
// requests, and a conflict that names a time.
func saysComeBack(e Exchange) bool {
	switch e.Status {
	case 102, 423, 425, 429:
		return true
	}
	return e.Status == 409 && retryAfter(e)
}

// certainty is how surely an answer is a declared one.
type certainty int

const (
	no       certainty = iota
	byStatus           // the status is declared and no code is
	byCode             // the declared code was found
)

func match(statuses []int, code string, e Exchange) certainty {
	switch {
	case len(statuses) == 0 && code == "":
		return no
	case len(statuses) == 0 && (e.Status < 400 || e.Status > 499):
		return no
	case len(statuses) > 0 && !slices.Contains(statuses, e.Status):
		return no
	case code == "":
		return byStatus
	case hasCode(e.Body, code):
		return byCode
	}
	return no
}

// hasCode finds a code as a whole word, so that "key_reused" is not found in "key_reused_in_flight".
func hasCode(body []byte, code string) bool {
	for at := 0; ; at++ {
		i := bytes.Index(body[at:], []byte(code))
		if i < 0 {
			return false
		}
		at += i
		end := at + len(code)
		if (at == 0 || !wordByte(body[at-1])) && (end == len(body) || !wordByte(body[end])) {
			return true
		}
	}
}

func wordByte(b byte) bool {
	return b == '_' || b == '-' || '0' <= b && b <= '9' || 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z'
}

// Marked reports whether an answer carries the declared replay marker, whatever its status: a stored error may carry it too.
func (c Contract) Marked(e Exchange) bool {
	if c.Marker.Name == "" {
		return false
	}
	for _, v := range e.Header[textproto.CanonicalMIMEHeaderKey(c.Marker.Name)] {
		v = strings.TrimSpace(v)
		if c.Marker.Value == "" && v != "" && !strings.EqualFold(v, "false") || c.Marker.Value != "" && strings.EqualFold(v, c.Marker.Value) {
			return true
		}
	}
	return false
}

func retryAfter(e Exchange) bool {
	return slices.ContainsFunc(e.Header["Retry-After"], func(v string) bool { return strings.TrimSpace(v) != "" })
}

func (c Contract) unknownAnswers() []int {
	if c.UnknownAnswers == nil {
		return defaultUnknownAnswers
	}
	return c.UnknownAnswers
}

// Situation is something a contract declares a refusal for.
type Situation string

// The situations, named like their parameters.
const (
	OnMissing        Situation = "missing"
	OnMalformed      Situation = "malformed"
	OnOtherOperation Situation = "other_operation"
	OnMismatch       Situation = "mismatch"
	OnInFlight       Situation = "in_flight"
	OnExpired        Situation = "expired"
)

// Refusal is the declared reaction to a situation; for InFlight without its retry signal.
func (c Contract) Refusal(s Situation) Response {
	switch s {
	case OnMissing:
		return c.Missing
	case OnMalformed:
		return c.Malformed
	case OnOtherOperation:
		return c.OtherOperation
	case OnMismatch:
		return c.Mismatch
	case OnExpired:
		return c.Expired
	case OnInFlight:
		return Response{Action: c.InFlight.Action, Statuses: c.InFlight.Statuses, Code: c.InFlight.Code}
	}
	return Response{}
}

// Refuses reports whether an answer is a refusal that the contract admits in a situation: a declared status with the
// declared code, any 4xx where no status is declared. The same answer may be admitted in several situations. It does not
// ask whether the contract refuses in that situation at all; that is Refusal(s).Action.
func (c Contract) Refuses(s Situation, e Exchange) bool {
	r := c.Refusal(s)
	if e.Lost {
		return false
	}
	if len(r.Statuses) == 0 && (e.Status < 400 || e.Status > 499) && !(s == OnInFlight && e.Status == 102) {
		return false
	}
	if len(r.Statuses) > 0 && !slices.Contains(r.Statuses, e.Status) {
		return false
	}
	return r.Code == "" || hasCode(e.Body, r.Code)
}
