package historytest_test

import (
	"fmt"

	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/history/historytest"
)

// A lost answer, its retry, and two effects.
func Example() {
	b := historytest.New("lost/response")
	in := b.Intent()
	b.Lost(in, "first")
	b.Answered(in, "retry", 201, `{"id":"t2"}`)
	b.Saw(in, history.Resource, "final", 2, "t1", "t2")
	h := b.History()

	fmt.Println(h.ID)
	for _, e := range h.Events {
		switch {
		case e.Attempt != nil:
			fmt.Println(e.Seq, e.Attempt.Label, e.Attempt.Outcome)
		case e.Observation != nil:
			fmt.Println(e.Seq, e.Observation.Probe, e.Observation.Count)
		}
	}
	// Output:
	// lost-response.create-thing
	// 1 first lost
	// 2 retry answered
	// 3 http 2
}
