package reference_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/oncespec/oncespec/mockapi/contract"
	"github.com/oncespec/oncespec/mockapi/reference"
	"pgregory.net/rapid"
)

// TestNoHistoryExecutesTwice plays random histories, stale and false reports included, under random contracts.
func TestNoHistoryExecutesTwice(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := contract.Contract{
			Mismatch:         contract.Response{Action: rapid.SampledFrom(append(contract.Allowed("mismatch.action"), "")).Draw(t, "mismatch")},
			MismatchInFlight: rapid.SampledFrom(append(contract.Allowed("mismatch_in_flight"), "")).Draw(t, "mismatch_in_flight"),
			Expired:          contract.Response{Action: rapid.SampledFrom(append(contract.Allowed("expired.action"), "")).Draw(t, "expired")},
			Lifetime:         time.Duration(rapid.SampledFrom([]int{0, 3, 10}).Draw(t, "lifetime")) * time.Second,
			FailedRetry:      rapid.SampledFrom(append(contract.Allowed("failed_retry"), "")).Draw(t, "failed_retry"),
			Stored: contract.Stored{
				ClientErrors: rapid.SampledFrom([]string{"yes", "no", ""}).Draw(t, "4xx"),
				ServerErrors: rapid.SampledFrom([]string{"yes", "no", ""}).Draw(t, "5xx"),
				Validation:   rapid.SampledFrom([]string{"yes", "no", ""}).Draw(t, "validation"),
			},
		}
		var r reference.Record
		executing := false // an Execute was decided and no failure was recorded since
		succeeded := false // within this lifetime of the key
		claimed := ""      // fingerprint of this lifetime
		for i := range rapid.IntRange(1, 40).Draw(t, "events") {
			e := drawEvent(t, r)
			at := begun.Add(time.Duration(i) * time.Second)
			before := r
			after, decision := reference.Step(c, r, e, at)

			if again, other := reference.Step(c, before, e, at); other != decision || !cmp.Equal(again, after) {
				t.Fatal("the same step gave two outcomes")
			}
			if end, ever := before.Expires(c); before.State != after.State && (after.State == reference.Expired || ever && !at.Before(end) && decision == reference.Execute) {
				executing, succeeded, claimed = false, false, "" // the key began anew, or never will
				if after.State == reference.InProgress && after.Downstream == before.Downstream {
					t.Fatal("two lifetimes of a key with one downstream key")
				}
				before = after
			}
			if after.Version < before.Version && after.State != reference.Absent {
				t.Fatal("the version fell")
			}
			if (after.Owner != before.Owner) && after.State != reference.Absent && after.Version <= before.Version {
				t.Fatal("another owner without another version")
			}
			if _, expired := e.(reference.Expire); before.State.Final() && !expired && !cmp.Equal(before, after) {
				t.Fatal("a final record changed")
			}
			if before.State != reference.Absent && after.State != reference.Absent && (after.Downstream != before.Downstream || after.Fingerprint != before.Fingerprint || !after.Created.Equal(before.Created)) {
				t.Fatal("downstream key, fingerprint or creation time changed within a lifetime")
			}
			if !cmp.Equal(before, after) && after.State != reference.Absent && !after.Updated.Equal(at) {
				t.Fatal("a change without its time")
			}
			if (after.Answer.Status != 0) != after.State.Final() {
				t.Fatal("final records, and only they, have an answer")
			}

			switch e := e.(type) {
			case reference.Claim:
				if decision == reference.Execute {
					if executing || succeeded {
						t.Fatal("executed again although nothing says that the first execution came to nothing")
					}
					if claimed != "" && claimed != e.Fingerprint {
						t.Fatal("executed another request under a used key")
					}
					executing, claimed = true, e.Fingerprint
					if after.Owner != e.Owner || after.State != reference.InProgress || after.Downstream == "" {
						t.Fatal("execute without holding the record")
					}
				}
				if decision == reference.Replay && !before.State.Final() {
					t.Fatal("replay without an answer")
				}
			case reference.Complete:
				if decision == reference.Recorded {
					if !executing {
						t.Fatal("completed what was never executed")
					}
					if e.Owner != before.Owner || e.Version != before.Version {
						t.Fatal("a replaced owner completed")
					}
					succeeded = true
				}
			case reference.Fail:
				if decision == reference.Recorded {
					if e.Owner != before.Owner || e.Version != before.Version {
						t.Fatal("a replaced owner failed")
					}
					if succeeded {
						t.Fatal("failed after success")
					}
					executing = false
				}
			case reference.Expire:
				if decision == reference.Recorded {
					if before.State == reference.InProgress || before.State == reference.Unknown {
						t.Fatal("an unresolved operation was dropped")
					}
					executing, succeeded, claimed = false, false, ""
				}
			}
			r = after
		}
	})
}

// drawEvent prefers reports that fit the record, so that histories get somewhere, and mixes in stale and false ones.
func drawEvent(t *rapid.T, r reference.Record) reference.Event {
	owner := rapid.SampledFrom([]string{r.Owner, r.Owner, "a", "b"}).Draw(t, "owner")
	version := r.Version + rapid.SampledFrom([]int64{0, 0, 0, -1, 1}).Draw(t, "version")
	fresh := rapid.SampledFrom([]string{"a", "b", "c", "d"}).Draw(t, "fresh owner")
	switch rapid.IntRange(0, 7).Draw(t, "event") {
	case 0, 1, 2:
		return reference.Claim{Scope: "acme", Key: "k", Fingerprint: rapid.SampledFrom([]string{"f", "f", "g"}).Draw(t, "fingerprint"), Owner: fresh}
	case 3:
		return reference.Complete{Owner: owner, Version: version, Answer: done}
	case 4:
		return reference.Fail{
			Owner: owner, Version: version, Answer: reference.Answer{Status: rapid.SampledFrom([]int{0, 400, 429, 500}).Draw(t, "status")},
			Invalid: rapid.Bool().Draw(t, "invalid"), Uncertain: rapid.Bool().Draw(t, "uncertain"),
		}
	case 5:
		return reference.Crash{Owner: owner, Version: version}
	case 6:
		return reference.TakeOver{Owner: fresh}
	}
	return reference.Expire{}
}
