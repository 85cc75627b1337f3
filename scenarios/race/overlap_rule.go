package race

import (
	"fmt"

	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/rule"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

// overlap is how far the bursts of several histories were simultaneous.
type overlap struct {
	bursts, atWork, inFlight int // bursts seen; those that overlapped at the target's work; those whose flights did
	most                     int // requests together in one burst
	histories                []string
	detection                detection
}

// add takes in the bursts of a history.
func (o *overlap) add(h *history.History) {
	for _, b := range h.Bursts("") {
		o.addBurst(h, b)
	}
}

func (o *overlap) addBurst(h *history.History, b *history.Burst) {
	o.bursts++
	working, flying := max(atWork(h, b), atStore(b)), min(b.Overlapped, whole(h, b))
	o.detection.add(h, b)
	switch {
	case working > 1:
		o.atWork++
		o.most = max(o.most, working)
	case flying > 1:
		o.inFlight++
		o.most = max(o.most, min(b.Together, flying))
	default:
		return
	}
	o.histories = append(o.histories, h.ID)
}

// eachIntent judges every intent by itself, and returns what speaks against the target or is in doubt.
func eachIntent(c rule.Case, judge func(rule.Case, *history.History, string) rule.Finding) (against []rule.Finding) {
	for _, h := range c.Histories {
		for _, in := range h.Intents {
			if f := judge(c, h, in.ID); f.Outcome != verdict.Pass {
				against = append(against, f.At(h.ID))
			}
		}
	}
	return against
}

// judged is what the rules of simultaneous requests have in common: every intent is judged, and where nothing is held against the
// target it passes as far as anything was simultaneous.
func judged(c rule.Case, judge func(rule.Case, *history.History, string) rule.Finding, good string) []rule.Finding {
	if against := eachIntent(c, judge); len(against) > 0 {
		return against
	}
	var together overlap
	for _, h := range c.Histories {
		together.add(h)
	}
	return []rule.Finding{together.passed(c, "%s", good)}
}

// atWork counts the requests of a burst that the target had whole before the one that was held in its downstream call was
// let go, that one included.
func atWork(h *history.History, b *history.Burst) (n int) {
	attempts := burst(h, b)
	if len(attempts) == 0 {
		return 0
	}
	_, until, held := h.Held(attempts[0].Intent)
	for _, a := range attempts {
		if held && a.Link.RequestWhole && a.Link.LastRequestAt > 0 && a.Link.LastRequestAt < until {
			n++
		}
	}
	return n
}

// atStore counts the requests of a burst that waited for the target's database together, less one: one of the connections may
// have been waiting for something else.
func atStore(b *history.Burst) int { return max(0, min(b.AtStore-1, len(b.Attempts))) }

// whole counts the requests of a burst that the target had whole: what never came overlapped with nothing there.
func whole(h *history.History, b *history.Burst) (n int) {
	for _, a := range burst(h, b) {
		if a.Link.RequestWhole {
			n++
		}
	}
	return n
}

func burst(h *history.History, b *history.Burst) (attempts []*history.Attempt) {
	for _, a := range h.Attempts(b.Label) {
		for _, id := range b.Attempts {
			if a.ID == id {
				attempts = append(attempts, a)
			}
		}
	}
	return attempts
}

// passed is the finding where nothing spoke against the target: a pass as far as anything was simultaneous.
func (o *overlap) passed(c rule.Case, format string, args ...any) rule.Finding {
	said := fmt.Sprintf(format, args...)
	power := o.detection.says()
	if power != "" {
		power = "; " + power
	}
	switch {
	case o.bursts == 0:
		return rule.Inconclusive(verdict.Harness, "no burst was sent").At(c.IDs()...)
	case o.atWork > 0:
		return rule.Pass(verdict.Strong, "%s; %d of %d bursts overlapped at the target's work, %d more in flight, up to %d at once%s",
			said, o.atWork, o.bursts, o.inFlight, o.most, power).At(o.histories...)
	case o.inFlight > 0:
		return rule.Pass(verdict.Weak, "%s; %d of %d bursts overlapped in flight, up to %d at once%s", said, o.inFlight, o.bursts, o.most, power).At(o.histories...)
	}
	return rule.Inconclusive(verdict.Environment, "no two requests overlapped in %d bursts", o.bursts).At(c.IDs()...)
}
