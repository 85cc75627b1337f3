package reference_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/oncespec/oncespec/mockapi/contract"
	"github.com/oncespec/oncespec/mockapi/reference"
)

func lasting(lifetime time.Duration, after string) contract.Contract {
	return contract.Contract{Lifetime: lifetime, Expired: contract.Response{Action: after}}
}

func TestAClaimAfterTheLifetime(t *testing.T) {
	t.Parallel()
	type want struct {
		before, executes, refuses reference.Decision // just before the end of the lifetime; at the end, as the contract says
	}
	for state, want := range map[reference.State]want{
		reference.Succeeded:  {reference.Replay, reference.Execute, reference.TooLate},
		reference.Failed:     {reference.Replay, reference.Execute, reference.TooLate},
		reference.Expired:    {reference.TooLate, reference.Execute, reference.TooLate},
		reference.Released:   {reference.Execute, reference.Execute, reference.Execute}, // nothing was done under it
		reference.InProgress: {reference.Wait, reference.Wait, reference.Wait},
		reference.Unknown:    {reference.Reconcile, reference.Reconcile, reference.Reconcile},
	} {
		for name, c := range map[string]struct {
			contract contract.Contract
			at       time.Duration
			want     reference.Decision
		}{
			"before":            {lasting(time.Hour, "refuse"), time.Hour - 1, want.before},
			"after, executes":   {lasting(time.Hour, "execute"), time.Hour, want.executes},
			"after, undeclared": {lasting(time.Hour, ""), time.Hour, want.executes},
			"after, refuses":    {lasting(time.Hour, "refuse"), time.Hour, want.refuses},
		} {
			before := recordIn(state)
			after, decision := reference.Step(c.contract, before, claim, begun.Add(c.at))
			if decision != c.want {
				t.Errorf("%s, %s: decision %s, expected %s", nameOf(state), name, decision, c.want)
			}
			if decision != reference.Execute && !cmp.Equal(before, after) {
				t.Errorf("%s, %s: the record changed:\n%s", nameOf(state), name, cmp.Diff(before, after))
			}
		}
	}
	if _, decision := reference.Step(contract.Contract{}, recordIn(reference.Succeeded), claim, begun.Add(1e6*time.Hour)); decision != reference.Replay {
		t.Errorf("no lifetime declared: decision %s, expected replay", decision)
	}
}

// Another payload is no conflict with what is forgotten.
func TestAClaimAfterTheLifetimeBeginsAnew(t *testing.T) {
	t.Parallel()
	c := lasting(time.Hour, "execute")
	old, _ := reference.Step(c, reference.Record{}, claim, begun)
	old, _ = reference.Step(c, old, reference.Complete{Owner: "b", Version: 1, Answer: done}, begun)
	got, decision := reference.Step(c, old, otherClaim, begun.Add(time.Hour))
	if decision != reference.Execute || got.Fingerprint != "g" || got.Answer.Status != 0 || got.Version <= old.Version || !got.Created.Equal(begun.Add(time.Hour)) {
		t.Errorf("decision %s, record %+v", decision, got)
	}
	if got.Downstream == old.Downstream {
		t.Error("the second lifetime of the key is booked under the downstream key of the first")
	}
	forgotten, _ := reference.Step(c, reference.Record{}, otherClaim, begun.Add(time.Hour))
	if forgotten.Downstream != got.Downstream {
		t.Error("the downstream key depends on whether the record was already collected")
	}
}

func TestExpiredRecordsAreRememberedWhereTheyAreRefused(t *testing.T) {
	t.Parallel()
	for _, state := range []reference.State{reference.Succeeded, reference.Failed} {
		got, decision := reference.Step(lasting(time.Hour, "refuse"), recordIn(state), reference.Expire{}, now)
		want := recordIn(state)
		want.State, want.Answer, want.Updated = reference.Expired, reference.Answer{}, now
		if diff := cmp.Diff(want, got); diff != "" || decision != reference.Recorded {
			t.Errorf("%s: decision %s, record (-want +got):\n%s", state, decision, diff)
		}
	}
	gone := recordIn(reference.Expired)
	for _, e := range []reference.Event{complete, refusal, crash, takeOver} {
		if after, decision := reference.Step(lasting(time.Hour, "refuse"), gone, e, now); decision != reference.Refuse || !cmp.Equal(gone, after) {
			t.Errorf("%T on an expired record: decision %s", e, decision)
		}
	}
	if after, decision := reference.Step(lasting(time.Hour, "execute"), gone, reference.Expire{}, now); decision != reference.Recorded || after.State != reference.Absent {
		t.Errorf("expire where the contract no longer refuses: %s, %s", decision, nameOf(after.State))
	}
}

func TestDownstreamKeysOfTwoLifetimesDiffer(t *testing.T) {
	t.Parallel()
	for _, lifetime := range []time.Duration{time.Second, 1500 * time.Millisecond, 7 * time.Second, 24 * time.Hour} {
		seen := map[string]string{}
		at := begun
		for i := range 50 {
			r, _ := reference.Step(lasting(lifetime, ""), reference.Record{}, claim, at)
			if earlier, taken := seen[r.Downstream]; taken {
				t.Fatalf("lifetime %s: claims %s and %d have one downstream key", lifetime, earlier, i)
			}
			seen[r.Downstream] = fmt.Sprint(i)
			at = at.Add(lifetime)
		}
	}
}
