package crash

import (
	"strings"
	"testing"

	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/history/historytest"
	"github.com/oncespec/oncespec/scenarios/rule/ruletest"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

// calibrated is a target that works on a request for that long, and eight kills that are to land meanwhile.
func calibrated(handling int64) *history.History {
	b := historytest.New("crash/sweep").Trial("calibration=8")
	a := b.Answered(b.Intent(), calibration, 201, created)
	a.Link.LastRequestAt, a.Link.FirstByteAt = 1000, 1000+handling
	return b.History()
}

// A sweep is strong proof only where its kills landed, and all over the work.
func TestSweepProof(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		at           []int64 // when the kills came, in microseconds after the request; negative: the answer had begun
		uncalibrated bool
		want         verdict.Proof
		says         string
	}{
		"all over it":        {at: []int64{100, 500, 1200, 1700}, want: verdict.Strong, says: "4 kills landed while a request was at work, 0.1, 0.5, 1.2, 1.7 ms after it came, of the 2.0 ms that one takes (up to 0.7 ms of it in one piece were not looked into): at most one effect each"},
		"too few":            {at: []int64{100, 1200, 1700}, want: verdict.Weak, says: "(8 were wanted: a higher limits.kills"},
		"most came late":     {at: []int64{100, -1200, -1700, -1800, -1900}, want: verdict.Weak, says: "1 kill landed while a request was at work, 0.1 ms"},
		"all at the start":   {at: []int64{100, 200, 300, 400}, want: verdict.Weak, says: "not spread over it: a higher limits.kills"},
		"all at the end":     {at: []int64{1600, 1700, 1800, 1900}, want: verdict.Weak, says: "not spread over it"},
		"nothing to measure": {at: []int64{100, 500, 1200, 1700}, uncalibrated: true, want: verdict.Weak},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var all []*history.History
			if !c.uncalibrated {
				all = append(all, calibrated(2000))
			}
			for _, at := range c.at {
				h, first := swept("spread=1", "")
				kill := h.History().Faults("kill")[0]
				if at < 0 {
					at = -at
					first.Link.FirstByteAt = first.Link.LastRequestAt + 2000
				}
				kill.Given = first.Link.LastRequestAt + at
				h.back(201, created).effects(1, "t1")
				all = append(all, h.History())
			}
			f := ruletest.ExpectPart(t, Rules(), "crash/sweep", "in-flight", verdict.Pass, ruletest.IETF(t), all...)
			if f.Proof != c.want || !strings.Contains(f.Detail, c.says) {
				t.Errorf("%s: %q; want %s: %q", f.Proof, f.Detail, c.want, c.says)
			}
		})
	}
}

// Requests that are at work together are each at a moment of their own that nobody knows: what is claimed is how long one may
// be and not have been hit.
func TestSweepProofOfCrowds(t *testing.T) {
	t.Parallel()
	crowds := func(kills, each int) (all []*history.History) {
		all = append(all, calibrated(2000))
		for range kills {
			h, first := swept("spread=1", "")
			h.back(201, created).effects(1, "t1")
			for range each - 1 {
				other := h.Intent()
				h.Silent(other, "first").Link.LastRequestAt = first.Link.LastRequestAt
				h.Answered(other, "retry", 201, created)
				h.Saw(other, history.Resource, "after", 1, "t1")
			}
			all = append(all, h.History())
		}
		return all
	}
	for name, c := range map[string]struct {
		kills, each int
		want        verdict.Proof
		says        string
	}{
		"many": {5, 12, verdict.Strong, "5 kills landed, with 60 requests at work, of the 2.0 ms that one takes alone (a moment of 0.10 ms in it would have been hit with probability 0.95, were they spread evenly over it; a shorter one may have been missed): at most one effect each"},
		"few":  {2, 2, verdict.Weak, "a moment of 1.05 ms in it"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := ruletest.ExpectPart(t, Rules(), "crash/sweep", "in-flight", verdict.Pass, ruletest.IETF(t), crowds(c.kills, c.each)...)
			if f.Proof != c.want || !strings.Contains(f.Detail, c.says) {
				t.Errorf("%s: %q; want %s: %q", f.Proof, f.Detail, c.want, c.says)
			}
		})
	}
}
