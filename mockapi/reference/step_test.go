package reference_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/oncespec/oncespec/mockapi/contract"
	"github.com/oncespec/oncespec/mockapi/reference"
)

var (
	begun  = time.Date(2025, 3, 1, 12, 0, 0, 0, time.UTC)
	now    = begun.Add(time.Minute)
	done   = reference.Answer{Status: 201, Header: map[string][]string{"Location": {"/v1/tickets/7"}}, Body: []byte(`{"id":7}`)}
	no     = reference.Answer{Status: 409, Body: []byte(`{"code":"project_closed"}`)}
	broken = reference.Answer{Status: 500}
)

// recordIn is a record of key k in a state, held by owner "a" as version 3.
func recordIn(s reference.State) reference.Record {
	if s == reference.Absent {
		return reference.Record{}
	}
	r := reference.Record{
		Scope: "acme", Key: "k", Fingerprint: "f", State: s, Owner: "a", Version: 3,
		Downstream: reference.DownstreamKey("acme", "k"), Created: begun, Updated: begun,
	}
	switch s {
	case reference.Succeeded:
		r.Answer = done
	case reference.Failed:
		r.Answer = no
	}
	return r
}

var (
	states = []reference.State{reference.Absent, reference.Released, reference.InProgress, reference.Succeeded, reference.Failed, reference.Unknown}

	claim      = reference.Claim{Scope: "acme", Key: "k", Fingerprint: "f", Owner: "b"}
	otherClaim = reference.Claim{Scope: "acme", Key: "k", Fingerprint: "g", Owner: "b"}
	complete   = reference.Complete{Owner: "a", Version: 3, Answer: done}
	refusal    = reference.Fail{Owner: "a", Version: 3, Answer: no}
	notDone    = reference.Fail{Owner: "a", Version: 3}
	uncertain  = reference.Fail{Owner: "a", Version: 3, Answer: broken, Uncertain: true}
	crash      = reference.Crash{Owner: "a", Version: 3}
	takeOver   = reference.TakeOver{Owner: "b"}
)

func TestStepInEveryStateOnEveryEvent(t *testing.T) {
	t.Parallel()
	same := func(*reference.Record) {}
	change := func(to reference.State) func(*reference.Record) {
		return func(r *reference.Record) { r.State, r.Updated = to, now }
	}
	newOwner := func(to reference.State) func(*reference.Record) {
		return func(r *reference.Record) { r.State, r.Owner, r.Version, r.Updated = to, "b", 4, now }
	}
	gone := func(r *reference.Record) { *r = reference.Record{} }
	ended := func(to reference.State, a reference.Answer) func(*reference.Record) {
		return func(r *reference.Record) { r.State, r.Answer, r.Updated = to, a, now }
	}
	type outcome struct {
		decision reference.Decision
		change   func(*reference.Record)
	}
	for _, row := range []struct {
		name  string
		event reference.Event
		want  [6]outcome // in the order of states
	}{
		{"claim", claim, [6]outcome{
			{reference.Execute, func(r *reference.Record) {
				*r = reference.Record{
					Scope: "acme", Key: "k", Fingerprint: "f", State: reference.InProgress, Owner: "b", Version: 1,
					Downstream: reference.DownstreamKey("acme", "k"), Created: now, Updated: now,
				}
			}},
			{reference.Execute, newOwner(reference.InProgress)},
			{reference.Wait, same},
			{reference.Replay, same},
			{reference.Replay, same},
			{reference.Reconcile, same},
		}},
		{"claim with another payload", otherClaim, [6]outcome{
			{reference.Execute, func(r *reference.Record) {
				*r = reference.Record{
					Scope: "acme", Key: "k", Fingerprint: "g", State: reference.InProgress, Owner: "b", Version: 1,
					Downstream: reference.DownstreamKey("acme", "k"), Created: now, Updated: now,
				}
			}},
			{reference.Conflict, same}, {reference.Conflict, same}, {reference.Conflict, same}, {reference.Conflict, same}, {reference.Conflict, same},
		}},
		{"complete", complete, [6]outcome{
			{reference.Refuse, same}, {reference.Refuse, same},
			{reference.Recorded, ended(reference.Succeeded, done)},
			{reference.Refuse, same}, {reference.Refuse, same},
			{reference.Recorded, ended(reference.Succeeded, done)},
		}},
		{"fail with a refusal", refusal, [6]outcome{
			{reference.Refuse, same}, {reference.Refuse, same},
			{reference.Recorded, ended(reference.Failed, no)},
			{reference.Refuse, same}, {reference.Refuse, same},
			{reference.Recorded, ended(reference.Failed, no)},
		}},
		{"found not to be done", notDone, [6]outcome{
			{reference.Refuse, same}, {reference.Refuse, same},
			{reference.Recorded, change(reference.Released)},
			{reference.Refuse, same}, {reference.Refuse, same},
			{reference.Recorded, change(reference.Released)},
		}},
		{"uncertain", uncertain, [6]outcome{
			{reference.Refuse, same}, {reference.Refuse, same},
			{reference.Reconcile, change(reference.Unknown)},
			{reference.Refuse, same}, {reference.Refuse, same},
			{reference.Reconcile, change(reference.Unknown)},
		}},
		{"crash", crash, [6]outcome{
			{reference.Refuse, same}, {reference.Refuse, same},
			{reference.Reconcile, change(reference.Unknown)},
			{reference.Recorded, same}, {reference.Recorded, same},
			{reference.Reconcile, change(reference.Unknown)},
		}},
		{"take over", takeOver, [6]outcome{
			{reference.Refuse, same}, {reference.Refuse, same},
			{reference.Reconcile, newOwner(reference.Unknown)},
			{reference.Replay, same}, {reference.Replay, same},
			{reference.Reconcile, newOwner(reference.Unknown)},
		}},
		{"expire", reference.Expire{}, [6]outcome{
			{reference.Recorded, same}, {reference.Recorded, gone},
			{reference.Wait, same},
			{reference.Recorded, gone}, {reference.Recorded, gone},
			{reference.Reconcile, same},
		}},
		{"no event", nil, [6]outcome{
			{reference.Refuse, same}, {reference.Refuse, same}, {reference.Refuse, same}, {reference.Refuse, same}, {reference.Refuse, same}, {reference.Refuse, same},
		}},
	} {
		for i, state := range states {
			t.Run(fmt.Sprintf("%s/%s", row.name, nameOf(state)), func(t *testing.T) {
				t.Parallel()
				want := recordIn(state)
				row.want[i].change(&want)
				got, decision := reference.Step(contract.Contract{}, recordIn(state), row.event, now)
				if decision != row.want[i].decision {
					t.Errorf("decision %s, expected %s", decision, row.want[i].decision)
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("record (-want +got):\n%s", diff)
				}
			})
		}
	}
}

func TestReportsOfAReplacedOwnerAreRefusedInEveryState(t *testing.T) {
	t.Parallel()
	for _, state := range states {
		for name, e := range map[string]reference.Event{
			"complete, older version":  reference.Complete{Owner: "a", Version: 2, Answer: done},
			"complete, newer version":  reference.Complete{Owner: "a", Version: 4, Answer: done},
			"complete, another owner":  reference.Complete{Owner: "z", Version: 3, Answer: done},
			"complete, nobody":         reference.Complete{Answer: done},
			"fail, older version":      reference.Fail{Owner: "a", Version: 2, Answer: no},
			"fail, another owner":      reference.Fail{Owner: "z", Version: 3, Answer: no},
			"uncertain, older version": reference.Fail{Owner: "a", Version: 2, Uncertain: true},
			"crash, older version":     reference.Crash{Owner: "a", Version: 2},
			"crash, another owner":     reference.Crash{Owner: "z", Version: 3},
			"crash, nobody":            reference.Crash{},
			"take over by nobody":      reference.TakeOver{},
			"claim by nobody":          reference.Claim{Scope: "acme", Key: "k", Fingerprint: "f"},
			"claim without a key":      reference.Claim{Scope: "acme", Fingerprint: "f", Owner: "b"},
		} {
			before := recordIn(state)
			after, decision := reference.Step(contract.Contract{}, before, e, now)
			if decision != reference.Refuse {
				t.Errorf("%s in %s: decision %s, expected refuse", name, nameOf(state), decision)
			}
			if diff := cmp.Diff(before, after); diff != "" {
				t.Errorf("%s in %s changed the record:\n%s", name, nameOf(state), diff)
			}
		}
	}
}

func TestAClaimOnTheRecordOfAnotherKeyIsRefused(t *testing.T) {
	t.Parallel()
	for _, state := range states[1:] {
		for _, e := range []reference.Claim{
			{Scope: "globex", Key: "k", Fingerprint: "f", Owner: "b"},
			{Scope: "acme", Key: "K", Fingerprint: "f", Owner: "b"},
		} {
			if _, decision := reference.Step(contract.Contract{}, recordIn(state), e, now); decision != reference.Refuse {
				t.Errorf("%s: decision %s, expected refuse", nameOf(state), decision)
			}
		}
	}
}

func TestMismatchFollowsTheContractButNeverExecutes(t *testing.T) {
	t.Parallel()
	mismatch := func(action, inFlight string) contract.Contract {
		return contract.Contract{Mismatch: contract.Response{Action: action}, MismatchInFlight: inFlight}
	}
	for _, tc := range []struct {
		name  string
		c     contract.Contract
		state reference.State
		want  reference.Decision
	}{
		{"in flight first", mismatch("refuse", "in-flight"), reference.InProgress, reference.Wait},
		{"mismatch first", mismatch("refuse", "mismatch"), reference.InProgress, reference.Conflict},
		{"either", mismatch("refuse", "either"), reference.InProgress, reference.Conflict},
		{"in flight first, but done", mismatch("refuse", "in-flight"), reference.Succeeded, reference.Conflict},
		{"replays, done", mismatch("replay", ""), reference.Succeeded, reference.Replay},
		{"replays, refused", mismatch("replay", ""), reference.Failed, reference.Replay},
		{"replays, at work", mismatch("replay", ""), reference.InProgress, reference.Wait},
		{"replays, unknown", mismatch("replay", ""), reference.Unknown, reference.Reconcile},
		{"replays, but there is no answer", mismatch("replay", ""), reference.Released, reference.Conflict},
		{"executes, done", mismatch("execute", ""), reference.Succeeded, reference.Conflict},
		{"executes, released", mismatch("execute", ""), reference.Released, reference.Conflict},
	} {
		before := recordIn(tc.state)
		after, decision := reference.Step(tc.c, before, otherClaim, now)
		if decision != tc.want {
			t.Errorf("%s: decision %s, expected %s", tc.name, decision, tc.want)
		}
		if diff := cmp.Diff(before, after); diff != "" {
			t.Errorf("%s changed the record:\n%s", tc.name, diff)
		}
	}
}

func TestFailuresAreKeptOrReleasedAsDeclared(t *testing.T) {
	t.Parallel()
	stripe, err := contract.Profile("stripe-v1")
	if err != nil {
		t.Fatal(err)
	}
	stored := func(client, server, validation, retry string) contract.Contract {
		return contract.Contract{Stored: contract.Stored{ClientErrors: client, ServerErrors: server, Validation: validation}, FailedRetry: retry}
	}
	open := stored("", "", "", "")
	for _, tc := range []struct {
		name    string
		c       contract.Contract
		status  int
		invalid bool
		want    reference.State
	}{
		{"open: refusal", open, 409, false, reference.Failed},
		{"open: redirect", open, 302, false, reference.Failed},
		{"open: invalid", open, 400, true, reference.Released},
		{"open: server error", open, 500, false, reference.Released},
		{"open: timeout", open, 408, false, reference.Released},
		{"open: too early", open, 425, false, reference.Released},
		{"open: too many", open, 429, false, reference.Released},
		{"open: found not done", open, 0, false, reference.Released},
		{"failed_retry replay: server error", stored("", "", "", "replay"), 500, false, reference.Failed},
		{"failed_retry replay: found not done", stored("", "", "", "replay"), 0, false, reference.Released},
		{"failed_retry execute: refusal", stored("", "", "", "execute"), 409, false, reference.Released},
		{"failed_retry resume: refusal", stored("", "", "", "resume"), 409, false, reference.Released},
		{"stored beats failed_retry: yes", stored("yes", "", "", "execute"), 409, false, reference.Failed},
		{"stored beats failed_retry: no", stored("", "no", "", "replay"), 500, false, reference.Released},
		{"4xx is not about 5xx", stored("yes", "", "", ""), 500, false, reference.Released},
		{"5xx is not about 4xx", stored("", "no", "", ""), 409, false, reference.Failed},
		{"validation is not 4xx", stored("yes", "", "no", ""), 422, true, reference.Released},
		{"validation consumes the key", stored("no", "", "yes", ""), 422, true, reference.Failed},
		{"validation open: as failed_retry", stored("no", "", "", "replay"), 422, true, reference.Failed},
		{"stripe: server error", stripe, 500, false, reference.Failed},
		{"stripe: refusal", stripe, 402, false, reference.Failed},
		{"stripe: invalid", stripe, 400, true, reference.Released},
	} {
		e := reference.Fail{Owner: "a", Version: 3, Answer: reference.Answer{Status: tc.status}, Invalid: tc.invalid}
		got, decision := reference.Step(tc.c, recordIn(reference.InProgress), e, now)
		if got.State != tc.want || decision != reference.Recorded {
			t.Errorf("%s: %s (%s), expected %s", tc.name, got.State, decision, tc.want)
		}
		if (got.State == reference.Failed) != (got.Answer.Status == tc.status && tc.status != 0) {
			t.Errorf("%s: state %s with answer %d: only a kept failure has one", tc.name, got.State, got.Answer.Status)
		}
	}
}

func TestDownstreamKeysAreStableAndDistinct(t *testing.T) {
	t.Parallel()
	const pinned = "012e189d-d475-5049-9b1f-f26ec1b96697"
	if got := reference.DownstreamKey("acme", "k"); got != pinned {
		t.Errorf("found %s, expected %s: a changed derivation books everything in flight twice on upgrade", got, pinned)
	}
	seen := map[string]string{}
	for _, pair := range [][2]string{{"acme", "k"}, {"acme", "K"}, {"acm", "ek"}, {"acmek", ""}, {"", "acmek"}, {"acme\x00", "k"}, {"acme", "\x00k"}} {
		key := reference.DownstreamKey(pair[0], pair[1])
		if first, taken := seen[key]; taken {
			t.Errorf("%q has the downstream key of %s", pair, first)
		}
		seen[key] = fmt.Sprintf("%q", pair)
	}
}

func nameOf(s reference.State) string {
	if s == reference.Absent {
		return "absent"
	}
	return string(s)
}
