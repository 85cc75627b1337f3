package target_test

import (
	"testing"

	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/target"
)

func TestSmoke(t *testing.T) {
	a := &api{}
	r := start(t, a, plain)
	s, h := r.steady(t)
	t.Log(s)
	st := r.stage("lost/response")
	in := must(st.Intent(t.Context()))
	at := st.Do(t.Context(), in, target.Send{})
	if at.Outcome != history.Answered {
		t.Fatal(at)
	}
	st.Observe(t.Context(), in, "after")
	for _, h := range append(st.Histories(), h) {
		for _, e := range h.Events {
			t.Logf("%+v %+v %+v %+v", e, e.Attempt, e.Observation, e.Status)
		}
	}
}
