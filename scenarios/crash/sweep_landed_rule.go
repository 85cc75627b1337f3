package crash

import (
	"fmt"
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
	at       []int64 // microseconds after the request, of the kills that landed before an answer began
	handling int64   // microseconds that a request is at work, of all that were answered; 0: none was
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
			times = append(times, handled(h, "first")...)
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
	for _, in := range h.Intents {
		if part, _ := struck(h, kill, in.ID); part == inFlight || part == history.AfterEffect {
			l.at = append(l.at, kill.Given-firstOf(h, in.ID).Link.LastRequestAt)
		}
	}
}

// handled is how long the answered attempts of a label were at work.
func handled(h *history.History, label string) (times []int64) {
	for _, a := range h.Attempts(label) {
		if a.Link.FirstByteAt > 0 && a.Link.LastRequestAt > 0 {
			times = append(times, max(1, a.Link.FirstByteAt-a.Link.LastRequestAt))
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

// proof is strong where at least half of the wanted kills landed, in both halves of the handling time: no phase that takes long was
// left out.
func (l landed) proof() verdict.Proof {
	if l.few() || l.handling == 0 || 2*l.at[0] >= l.handling || 2*l.at[len(l.at)-1] < l.handling {
		return verdict.Weak
	}
	return verdict.Strong
}

// gap is the longest time between two kills, in microseconds.
func (l landed) gap() (longest int64) {
	for i := 1; i < len(l.at); i++ {
		longest = max(longest, l.at[i]-l.at[i-1])
	}
	return longest
}

func (l landed) few() bool { return len(l.at) == 0 || 2*len(l.at) < l.wanted }

func (l landed) words() string {
	var at []string
	for _, us := range l.at {
		at = append(at, ms(us))
	}
	text := fmt.Sprintf("%s landed while a request was at work", rule.Plural(len(l.at), "kill"))
	if len(at) > 0 {
		text += fmt.Sprintf(", %s ms after it came", strings.Join(at, ", "))
	}
	if l.handling > 0 {
		text += fmt.Sprintf(", of the %s ms that it takes", ms(l.handling))
	}
	if gap := l.gap(); gap > 0 { // no more is claimed than was hit
		text += fmt.Sprintf(" (up to %s ms between two of them were not looked into)", ms(gap))
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
