package reference_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/oncespec/oncespec/mockapi/contract"
	"github.com/oncespec/oncespec/mockapi/reference"
)

// A process dies in mid-operation. After the restart the retry is not executed again before somebody found out what became
// of the first attempt.
func ExampleStep() {
	c, err := contract.Profile("ietf-07")
	if err != nil {
		fmt.Println(err)
		return
	}
	clock := time.Date(2025, 3, 1, 12, 0, 0, 0, time.UTC)
	var record reference.Record
	step := func(e reference.Event) {
		clock = clock.Add(time.Second)
		var decision reference.Decision
		record, decision = reference.Step(c, record, e, clock)
		fmt.Printf("%T: %s, now %s (version %d)\n", e, decision, record.State, record.Version)
	}
	step(reference.Claim{Scope: "acme", Key: "order-17", Fingerprint: "f", Owner: "attempt-1"})
	step(reference.Claim{Scope: "acme", Key: "order-17", Fingerprint: "f", Owner: "attempt-2"})
	step(reference.Crash{Owner: "attempt-1", Version: 1})
	step(reference.Claim{Scope: "acme", Key: "order-17", Fingerprint: "f", Owner: "attempt-3"})
	step(reference.TakeOver{Owner: "recovery-1"})
	step(reference.Complete{Owner: "attempt-1", Version: 1, Answer: reference.Answer{Status: 201}}) // it was not dead after all
	step(reference.Complete{Owner: "recovery-1", Version: 2, Answer: reference.Answer{Status: 201}})
	step(reference.Claim{Scope: "acme", Key: "order-17", Fingerprint: "f", Owner: "attempt-4"})
	// Output:
	// reference.Claim: execute, now in_progress (version 1)
	// reference.Claim: wait, now in_progress (version 1)
	// reference.Crash: reconcile, now unknown (version 1)
	// reference.Claim: reconcile, now unknown (version 1)
	// reference.TakeOver: reconcile, now unknown (version 2)
	// reference.Complete: refuse, now unknown (version 2)
	// reference.Complete: recorded, now succeeded (version 2)
	// reference.Claim: replay, now succeeded (version 2)
}

func TestARecordSurvivesItsStore(t *testing.T) {
	t.Parallel()
	for _, state := range states {
		want := recordIn(state)
		text, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		var got reference.Record
		if err := json.Unmarshal(text, &got); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", nameOf(state), diff)
		}
	}
}
