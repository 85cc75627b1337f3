package crash

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/rule"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

// landed is how well the kills of a sweep cover the time in which a request is at work. Few of them may all have missed the
// moment that a defect needs.
type landed struct {
	kills    int
	requests int     // that they hit
	at       []int64 // microseconds after it came, of each that was alone at work
	handling int64   // microseconds that a request is at work, alone, of all that were answered; 0: none was
	wanted   int     // limits.kills
}

func inFlightOf(c rule.Case) (l landed) {
	var times []int64
	for _, h := range c.Histories {
		kind, number, _ := strings.Cut(h.Trial, "=")
		switch kind {
		case calibration:
			l.wanted, _ = strconv.Atoi(number)
			times = append(times, handled(h, calibration)...)
		case spreading:
			l.add(h)
			if len(h.Intents) == 1 {
				times = append(times, handled(h, "first")...)
			}
		}
	}
	slices.Sort(l.at)
	l.handling = middleOf(times)
	return l
}

func (l *landed) add(h *history.History) {
	kill, missing := killOf(h)
	if missing != "" {
		return
	}
	hit := 0
	for _, in := range h.Intents {
		if part, _ := struck(h, kill, in.ID); part != inFlight && part != history.AfterEffect {
			continue
		}
		if hit++; len(h.Intents) == 1 {
			l.at = append(l.at, kill.Given-came(h, firstOf(h, in.ID)))
		}
	}
	if l.requests += hit; hit > 0 {
		l.kills++
	}
}

// handled is how long the answered attempts of a label were at work.
func handled(h *history.History, label string) (times []int64) {
	for _, a := range h.Attempts(label) {
		if since := came(h, a); a.Link.FirstByteAt > 0 && since > 0 {
			times = append(times, max(1, a.Link.FirstByteAt-since))
		}
	}
	return times
}

func middleOf(times []int64) int64 {
	if len(times) == 0 {
		return 0
	}
	slices.Sort(times)
	return times[len(times)/2]
}

// proof is strong where at least half of the wanted kills landed, and no moment that is longer than half of the work was left out.
func (l landed) proof() verdict.Proof {
	if l.few() || l.handling == 0 || 2*l.gap() > l.handling {
		return verdict.Weak
	}
	return verdict.Strong
}

// sure is the probability with which a moment of the length that gap gives has been hit, where requests were at work together.
const sure = 0.95

// gap is how long a moment of the work may be and not have been looked into, in microseconds: between two kills, before the
// first or after the last. Requests that are at work together are each at another point of it, nobody knows which: there it is
// the least that would have been hit almost surely, had they been spread evenly.
func (l landed) gap() int64 {
	if l.together() {
		return int64(math.Ceil(float64(l.handling) * (1 - math.Pow(1-sure, 1/float64(l.requests)))))
	}
	longest, before := int64(0), int64(0)
	for _, at := range append(slices.Clone(l.at), l.handling) {
		longest, before = max(longest, at-before), at
	}
	return longest
}

func (l landed) together() bool { return l.requests > len(l.at) }

func (l landed) few() bool { return l.kills == 0 || 2*l.kills < l.wanted }

func (l landed) words() string {
	text := fmt.Sprintf("%s landed while a request was at work", rule.Plural(l.kills, "kill"))
	if l.together() {
		text = fmt.Sprintf("%s landed, with %s at work", rule.Plural(l.kills, "kill"), rule.Plural(l.requests, "request"))
	}
	if len(l.at) > 0 {
		var at []string
		for _, us := range l.at {
			at = append(at, ms(us))
		}
		text += fmt.Sprintf(", %s ms after it came", strings.Join(at, ", "))
	}
	if l.handling > 0 {
		text += fmt.Sprintf(", of the %s ms that one takes", ms(l.handling))
		if l.together() {
			text += " alone"
		}
	}
	switch gap := l.gap(); { // no more is claimed than was hit
	case l.handling == 0 || l.requests == 0:
	case l.together():
		text += fmt.Sprintf(" (a moment of %.2f ms in it would have been hit with probability %.2f, were they spread evenly over it; a shorter one may have been missed)", float64(gap)/1000, sure)
	default:
		text += fmt.Sprintf(" (up to %s ms of it in one piece were not looked into)", ms(gap))
	}
	switch {
	case l.few() && l.wanted > 0:
		text += fmt.Sprintf(" (%d were wanted: a higher limits.kills hits more of its moments)", l.wanted)
	case l.proof() != verdict.Strong:
		text += " (not spread over it: a higher limits.kills hits more of its moments)"
	}
	return text
}

func ms(us int64) string { return fmt.Sprintf("%.1f", float64(us)/1000) }
