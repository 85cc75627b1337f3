package crash

import (
	"testing"

	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/history/historytest"
	"github.com/oncespec/oncespec/scenarios/rule/ruletest"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

func TestGracefulStop(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		first func(h trial) *history.Attempt
		spoil func(h *history.History, first *history.Attempt)
		rest  func(h trial)
		want  verdict.Outcome
	}{
		"finished":                    {want: verdict.Pass},
		"taken up again":              {first: func(h trial) *history.Attempt { return h.Silent(h.in, "first") }, want: verdict.Pass},
		"killed after the grace":      {first: func(h trial) *history.Attempt { return h.Silent(h.in, "first") }, spoil: func(h *history.History, _ *history.Attempt) { h.Faults("stop")[0].Forced = true }, want: verdict.Pass},
		"done again":                  {rest: func(h trial) { h.back(201, `{"id":"t2"}`).effects(2, "t1", "t2") }, want: verdict.Fail},
		"left open":                   {first: func(h trial) *history.Attempt { return h.Silent(h.in, "first") }, rest: func(h trial) { h.back(409, `{}`).effects(1, "t1") }, want: verdict.Fail},
		"acknowledged and lost":       {rest: func(h trial) { h.back(201, created).effects(0) }, want: verdict.Fail},
		"it did not end":              {spoil: func(h *history.History, _ *history.Attempt) { h.Faults("stop")[0].Landed = false }, want: verdict.Inconclusive},
		"it was over before":          {spoil: func(h *history.History, _ *history.Attempt) { h.Faults("stop")[0].Given = 1 << 40 }, want: verdict.Inconclusive},
		"it did not end, no way else": {spoil: func(h *history.History, _ *history.Attempt) { h.Faults("stop")[0].Landed, h.Capabilities = false, nil }, want: verdict.Inconclusive},
		"it was over, no way else":    {spoil: func(h *history.History, _ *history.Attempt) { h.Faults("stop")[0].Given, h.Capabilities = 1<<40, nil }, want: verdict.NotAssessed},
		"the request came later":      {spoil: func(_ *history.History, first *history.Attempt) { first.Link.LastRequestAt = 1 << 40 }, want: verdict.Inconclusive},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := trial{Builder: historytest.New("crash/graceful-stop").Offers("gate")}
			h.in = h.Intent()
			if c.first == nil {
				c.first = func(h trial) *history.Attempt { return h.Answered(h.in, "first", 201, created) }
			}
			first := c.first(h)
			h.Fault("stop", h.in, "").Given = first.Link.LastRequestAt + 50
			if c.rest == nil {
				c.rest = func(h trial) { h.back(201, created).effects(1, "t1") }
			}
			c.rest(h)
			story := h.History()
			if c.spoil != nil {
				c.spoil(story, first)
			}
			ruletest.Expect(t, Rules(), "crash/graceful-stop", c.want, ruletest.IETF(t), story)
		})
	}
}

// TestGracefulStopOfSeveral: each that the target was at work on counts.
func TestGracefulStopOfSeveral(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		effects []string // of the second
		early   bool     // the second was over before
		want    verdict.Outcome
	}{
		"both finished":               {[]string{"t2"}, false, verdict.Pass},
		"the second done again":       {[]string{"t2", "t3"}, false, verdict.Fail},
		"the second lost":             {nil, false, verdict.Fail},
		"the second was over before":  {[]string{"t2"}, true, verdict.Inconclusive},
		"it was over, yet done again": {[]string{"t2", "t3"}, true, verdict.Fail},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := historytest.New("crash/graceful-stop").Offers("gate")
			one, two := trial{Builder: b, in: b.Intent()}, trial{Builder: b, in: b.Intent()}
			first := b.Answered(one.in, "first", 201, created)
			second := b.Answered(two.in, "first", 201, `{"id":"t2"}`)
			stop := b.Fault("stop", &history.Intent{}, "")
			stop.Given = second.Link.LastRequestAt + 1
			first.Link.FirstByteAt, second.Link.FirstByteAt = stop.Given+1, stop.Given+1
			if c.early {
				second.Link.FirstByteAt = stop.Given - 1
			}
			one.back(201, created).effects(1, "t1")
			two.back(201, `{"id":"t2"}`).effects(len(c.effects), c.effects...)
			ruletest.Expect(t, Rules(), "crash/graceful-stop", c.want, ruletest.IETF(t), b.History())
		})
	}
}

func TestFencing(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		takeover int
		drop     string // the fault that did not happen
		early    int64  // by how much after it was told to go on the owner answered, before it was seen to
		spoil    func(owner *history.Attempt)
		effects  []string
		want     verdict.Outcome
	}{
		"fenced, and answers before it is seen to go on": {takeover: 201, effects: []string{"t1"}, early: 1, want: verdict.Pass},
		"it had answered before it was told to go on":    {takeover: 201, effects: []string{"t1"}, early: -1, want: verdict.Inconclusive},
		"fenced":                      {takeover: 201, effects: []string{"t1"}, want: verdict.Pass},
		"not fenced":                  {takeover: 201, effects: []string{"t1", "t2"}, want: verdict.Fail},
		"acknowledged and lost":       {takeover: 201, want: verdict.Fail},
		"nobody took over":            {takeover: 409, effects: []string{"t1"}, want: verdict.NotAssessed},
		"nobody took over, yet twice": {takeover: 409, effects: []string{"t1", "t2"}, want: verdict.Fail},
		"no call to hold":             {takeover: 201, effects: []string{"t1"}, drop: "hold", want: verdict.Inconclusive},
		"not frozen":                  {takeover: 201, effects: []string{"t1"}, drop: "pause", want: verdict.Inconclusive},
		"it did not go on":            {takeover: 201, effects: []string{"t1"}, drop: "resume", want: verdict.Inconclusive},
		"its client had left":         {takeover: 201, effects: []string{"t1"}, spoil: func(a *history.Attempt) { a.Outcome, a.Answer, a.Ended, a.Link.FirstByteAt = history.Lost, nil, 2, 0 }, want: verdict.Inconclusive},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := trial{Builder: historytest.New("crash/fencing")}
			h.in = h.Intent()
			faults := map[string]*history.Fault{}
			faults["hold"] = h.Fault("hold", h.in, "")
			faults["pause"] = h.Fault("pause", h.in, history.AfterClaim)
			h.Answered(h.in, "takeover", c.takeover, created)
			faults["resume"] = h.Fault("resume", &history.Intent{}, "")
			h.Fault("release", h.in, "")
			owner := h.Answered(h.in, "first", 201, created)
			owner.Began, owner.Link.LastRequestAt = 1, 2
			h.retried(201, created).effects(len(c.effects), c.effects...)
			if f := faults[c.drop]; f != nil {
				f.Landed = false
			}
			if c.early != 0 {
				for _, e := range h.History().Events {
					if e.Fault == faults["resume"] {
						owner.Link.FirstByteAt = e.At - 10
					}
				}
				owner.Ended = owner.Link.FirstByteAt + 1
				faults["resume"].Given = owner.Link.FirstByteAt - c.early
			}
			if c.spoil != nil {
				c.spoil(owner)
			}
			ruletest.Expect(t, Rules(), "crash/fencing", c.want, ruletest.IETF(t), h.History())
		})
	}
}
