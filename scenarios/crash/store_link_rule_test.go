package crash

import (
	"strings"
	"testing"

	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/history/historytest"
	"github.com/oncespec/oncespec/scenarios/rule/ruletest"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

func TestStoreLink(t *testing.T) {
	t.Parallel()
	cut := func(name string, spoil func(h trial, first *history.Attempt), rest func(h trial)) *history.History {
		h := trial{Builder: historytest.New("crash/store-link").Trial(name)}
		h.in = h.Intent()
		h.Fault("store-hold", h.in, "")
		h.Fault("store-cut", h.in, "")
		first := h.Answered(h.in, "first", 503, `{}`)
		first.Link.LastRequestAt = 1
		if spoil != nil {
			spoil(h, first)
		}
		rest(h)
		return h.History()
	}
	once := func(h trial) { h.retried(201, created).effects(1, "t1") }
	late := func(_ trial, first *history.Attempt) { first.Link.FirstByteAt = 2 }
	uncut := func(h trial, _ *history.Attempt) { h.History().Faults("store-cut")[0].Landed = false }
	for name, c := range map[string]struct {
		hs   []*history.History
		want verdict.Outcome
	}{
		"one effect, and recovers": {[]*history.History{cut("answers=1", nil, once)}, verdict.Pass},
		"done twice":               {[]*history.History{cut("answers=1", nil, once), cut("answers=2", nil, func(h trial) { h.retried(201, created).effects(2, "t1", "t2") })}, verdict.Fail},
		"acknowledged and lost":    {[]*history.History{cut("answers=1", nil, func(h trial) { h.retried(201, created).effects(0) })}, verdict.Fail},
		"does not recover":         {[]*history.History{cut("answers=1", nil, func(h trial) { h.retried(409, `{}`).effects(1, "t1") })}, verdict.Fail},
		"fails for ever":           {[]*history.History{cut("answers=1", nil, func(h trial) { h.retried(503, `{}`).effects(0) })}, verdict.Fail},
		"one of two came in time":  {[]*history.History{cut("answers=1", nil, once), cut("answers=2", late, once)}, verdict.Pass},
		"none came in time":        {[]*history.History{cut("answers=1", late, once)}, verdict.Inconclusive},
		"nothing was cut":          {[]*history.History{cut("answers=1", uncut, once)}, verdict.Inconclusive},
		"late, yet done twice":     {[]*history.History{cut("answers=1", late, func(h trial) { h.retried(201, created).effects(2, "t1", "t2") })}, verdict.Fail},
		"only a list":              {[]*history.History{historytest.New("crash/store-link").History()}, verdict.Inconclusive},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ruletest.Expect(t, Rules(), "crash/store-link", c.want, ruletest.IETF(t), c.hs...)
		})
	}
}

// A cut is strong proof where it came between an effect and the answer of the database that tells of it: what was seen, while what
// was held, before the target answered. Where none did the verdict says so.
func TestStoreLinkProof(t *testing.T) {
	t.Parallel()
	once := func(h trial) { h.retried(201, created).effects(1, "t1") }
	inDoubt := func(name string, rest func(h trial), spoil func(h *history.History, seen *history.Observation, first *history.Attempt)) *history.History {
		h := trial{Builder: historytest.New("crash/store-link").Trial(name)}
		h.in = h.Intent()
		h.Fault("store-hold", h.in, "")
		seen := h.Saw(h.in, history.Resource, history.WhileHeld, 1, "t1")
		h.Fault("store-hold", h.in, "")
		h.Fault("store-cut", h.in, "")
		h.Fault("store-release", h.in, "")
		first := h.Answered(h.in, "first", 503, `{}`)
		first.Link.LastRequestAt = 1
		rest(h)
		if spoil != nil {
			spoil(h.History(), seen, first)
		}
		return h.History()
	}
	const unknown, doubt = "(none is known to have come between the effect and the database's word of it: ", "when the database had made the effect and the target had not been told"
	for name, c := range map[string]struct {
		rest  func(h trial)
		spoil func(h *history.History, seen *history.Observation, first *history.Attempt)
		want  verdict.Outcome
		proof verdict.Proof
		says  string
	}{
		"in doubt":            {want: verdict.Pass, proof: verdict.Strong, says: "one effect each, cut 1 time " + doubt},
		"in doubt, and twice": {rest: func(h trial) { h.retried(201, created).effects(2, "t1", "t2") }, want: verdict.Fail, proof: verdict.Strong, says: "cut " + doubt + ": duplicated: "},
		"no effect seen":      {spoil: func(_ *history.History, seen *history.Observation, _ *history.Attempt) { seen.Count, seen.IDs = 0, nil }, want: verdict.Pass, proof: verdict.Weak, says: unknown + "it was not seen while an answer was held)"},
		"only a booking seen": {spoil: func(_ *history.History, seen *history.Observation, _ *history.Attempt) { seen.Kind = history.Ledger }, want: verdict.Pass, proof: verdict.Weak, says: unknown},
		"it could not be read": {spoil: func(_ *history.History, seen *history.Observation, _ *history.Attempt) {
			seen.Count, seen.Error = 0, "timed out"
		}, want: verdict.Pass, proof: verdict.Weak, says: unknown + "while an answer was held, http could not be read: timed out)"},
		"nothing was held": {spoil: func(h *history.History, _ *history.Observation, _ *history.Attempt) {
			h.Faults("store-hold")[1].Landed = false
		}, want: verdict.Pass, proof: verdict.Weak, says: unknown},
		"it had answered": {spoil: func(_ *history.History, _ *history.Observation, first *history.Attempt) { first.Link.FirstByteAt = 2 }, want: verdict.Inconclusive, says: "it had begun to answer before the cut"},
		"nothing was cut": {spoil: func(h *history.History, _ *history.Observation, _ *history.Attempt) {
			h.Faults("store-cut")[0].Landed = false
		}, want: verdict.Inconclusive, says: "no connection to the database was cut"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if c.rest == nil {
				c.rest = once
			}
			f := ruletest.Expect(t, Rules(), "crash/store-link", c.want, ruletest.IETF(t), inDoubt("doubtful=1", c.rest, c.spoil))
			if c.proof != "" && f.Proof != c.proof || !strings.Contains(f.Detail, c.says) {
				t.Errorf("%s: %q; want %s: %q", f.Proof, f.Detail, c.proof, c.says)
			}
		})
	}
}
