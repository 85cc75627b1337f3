package target_test

import (
	"strings"
	"testing"

	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/rule"
	"github.com/oncespec/oncespec/scenarios/rule/ruletest"
	"github.com/oncespec/oncespec/scenarios/target"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

// TestAFullLedgerProvesNothing: what is in a ledger that had no room for all calls is no count. The target is served as before, so
// that nothing else goes wrong, and what hangs on the count is inconclusive, with what to do about it.
func TestAFullLedgerProvesNothing(t *testing.T) {
	t.Parallel()
	r, _ := gated(t)
	s := r.stage("lost/response")
	c := rule.Case{Contract: ruletest.IETF(t), Operation: "create"}
	send := func() (in *target.Intent, f rule.Finding) {
		t.Helper()
		in = must(s.Intent(t.Context()))
		first := s.Do(t.Context(), in, target.Send{Label: "first"})
		s.Do(t.Context(), in, target.Send{Label: "retry"})
		s.Observe(t.Context(), in, "after")
		return in, c.Once(s.Histories()[0], first, "", verdict.Strong)
	}
	if _, f := send(); f.Outcome != verdict.Pass {
		t.Fatalf("before it is full: %+v", f)
	}
	r.FillGate()
	in, f := send()
	if f.Outcome != verdict.Inconclusive || !strings.Contains(f.Detail, "full") || !strings.Contains(f.Detail, "limits.objects") {
		t.Errorf("when it is full: %+v", f)
	}
	for _, a := range s.Histories()[0].AttemptsOf(in.ID) {
		if !c.Succeeded(a) {
			t.Errorf("the %s attempt was answered %s", a.Label, c.Says(a))
		}
	}
	for _, o := range s.Histories()[0].Observations(in.ID, "after") {
		if (o.Error != "") != (o.Kind == history.Ledger) {
			t.Errorf("probe %s: %q", o.Probe, o.Error)
		}
	}
}
