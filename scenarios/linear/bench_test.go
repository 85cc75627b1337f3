package linear_test

import (
	"fmt"
	"testing"

	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/history/historytest"
	"github.com/oncespec/oncespec/scenarios/linear"
	"github.com/oncespec/oncespec/scenarios/rule/ruletest"
)

// BenchmarkExplain explains whole storms: keys with four to five operations each, as a storm leaves them (a lost attempt, one
// that was told to wait beside the one that did the work, a replay, the count), and keys that many clients shared.
func BenchmarkExplain(b *testing.B) {
	k := ruletest.IETF(b)
	for _, c := range []struct {
		name               string
		operations, perKey int
	}{
		{"1000-operations/5-a-key", 1000, 5},
		{"10000-operations/5-a-key", 10_000, 5},
		{"1000-operations/50-a-key", 1000, 50},
		{"10000-operations/50-a-key", 10_000, 50},
	} {
		b.Run(c.name, func(b *testing.B) {
			h := storms(c.operations/c.perKey, c.perKey)
			steps, operations := 0, 0
			b.ReportAllocs()
			for b.Loop() {
				steps, operations = 0, 0
				m := linear.New(k, h)
				for _, in := range h.Intents {
					e := m.Explain(in.ID)
					if e.How != linear.Explained {
						b.Fatalf("%s: %s", e.How, e.Detail)
					}
					steps += e.Steps
					operations += e.Operations
				}
			}
			if operations != c.operations {
				b.Fatalf("%d operations", operations)
			}
			b.ReportMetric(float64(steps), "steps")
		})
	}
}

// storms is a history of that many keys, each with a lost attempt, attempts at once of which all but one are told to wait, replays
// at once, and the count.
func storms(keys, perKey int) *history.History {
	builder := historytest.New("lost/storm")
	for n := range keys {
		in, made := builder.Intent(), fmt.Sprintf(`{"id":"t%d"}`, n)
		lost := builder.Lost(in, "call")
		first := builder.Answered(in, "call", 201, made)
		first.Began = lost.Began
		for i := range perKey - 3 {
			other := builder.Answered(in, "call", 409, `{}`)
			if i%2 == 1 || perKey == 5 {
				other.Answer.Status, other.Answer.Body = 201, historytest.Body(made)
			}
			other.Began, first.Ended = first.Began, other.Ended
		}
		builder.Saw(in, history.Resource, "after", 1, fmt.Sprintf("t%d", n))
	}
	return builder.History()
}
