package rule

import (
	"fmt"
	"slices"
	"strings"

	"github.com/oncespec/oncespec/scenarios/history"
)

// Tally is what one probe says of one intent over a whole history.
type Tally struct {
	Probe, Kind string
	Last        int    // at the last readable moment; "final" is always last
	Most        int    // at any moment: a duplicate that went away again was still made
	Odd         string // a value that moved by no whole number of executions
	IDs         []string
	Unread      string // why the probe could not be read at the end; Last means nothing then
	Extra       bool   // added by the harness, not configured: an effect too many counts against the target, a missing one does not
}

// Tallies sums up the observations of an intent, a row a probe in the order of first reading. The baseline, at the moment
// "before", is not among them.
func Tallies(h *history.History, intent string) []Tally {
	var rows []Tally
	for _, o := range h.Observations(intent) {
		if o.Moment == history.Beforehand {
			continue
		}
		i := slices.IndexFunc(rows, func(t Tally) bool { return t.Probe == o.Probe })
		if i < 0 {
			rows = append(rows, Tally{Probe: o.Probe, Kind: o.Kind, Extra: o.Extra})
			i = len(rows) - 1
		}
		t := &rows[i]
		t.Unread = o.Error
		if o.Error != "" {
			continue
		}
		t.Last, t.Odd, t.IDs = o.Count, o.Odd, o.IDs
		t.Most = max(t.Most, o.Count)
	}
	return rows
}

// Exactly tells whether every probe of one of the kinds (none = all) saw exactly n effects of the intent, and never more.
// The problem names the first probe that did not; unread names a probe that could not be read. Both empty: it holds.
func Exactly(h *history.History, intent string, n int, kinds ...string) (problem, unread string) {
	return bounded(h, intent, n, n, kinds)
}

// AtMost is Exactly with zero allowed as well.
func AtMost(h *history.History, intent string, n int, kinds ...string) (problem, unread string) {
	return bounded(h, intent, 0, n, kinds)
}

func bounded(h *history.History, intent string, least, most int, kinds []string) (problem, unread string) {
	seen := false
	for _, t := range Tallies(h, intent) {
		if len(kinds) > 0 && !slices.Contains(kinds, t.Kind) {
			continue
		}
		seen = true
		switch {
		case t.Unread != "":
			unread = fmt.Sprintf("probe %s could not be read: %s", t.Probe, t.Unread)
		case t.Odd != "":
			return fmt.Sprintf("%s moved by %s, which is no whole number of executions", t.Probe, t.Odd), ""
		case t.Most > most:
			return fmt.Sprintf("%s shows %s for one intent%s, at most %d allowed", t.Probe, Plural(t.Most, "effect"), ids(t.IDs), most), ""
		case t.Last < least && !t.Extra:
			return fmt.Sprintf("%s shows %s, %d expected", t.Probe, Plural(t.Last, "effect"), least), ""
		}
	}
	if !seen {
		unread = "no probe was read"
	}
	return "", unread
}

// Stale names a probe of one of the kinds (none = all) that was read for the attempt's intent, but not after the attempt: an
// earlier reading cannot show what the attempt did. Empty: there is none.
func Stale(h *history.History, a *history.Attempt, kinds ...string) string {
	if a == nil {
		return ""
	}
	var fresh []string
	after := false
	for _, e := range h.Events {
		after = after || e.Attempt == a
		if o := e.Observation; o != nil && after && o.Intent == a.Intent {
			fresh = append(fresh, o.Probe)
		}
	}
	for _, t := range Tallies(h, a.Intent) {
		if (len(kinds) == 0 || slices.Contains(kinds, t.Kind)) && !slices.Contains(fresh, t.Probe) {
			return fmt.Sprintf("probe %s was not read after the %s attempt", t.Probe, a.Label)
		}
	}
	return ""
}

// EffectAt tells whether something besides the gate showed an effect at the moment.
func EffectAt(h *history.History, moment string) bool {
	for _, o := range h.Observations("", moment) {
		if o.Error == "" && o.Count > 0 && o.Kind != history.Ledger {
			return true
		}
	}
	return false
}

// ShownAt tells whether any probe, the gate's ledger among them, showed an effect of the intent at the moment.
func ShownAt(h *history.History, intent, moment string) bool {
	for _, o := range h.Observations(intent, moment) {
		if o.Error == "" && o.Count > 0 {
			return true
		}
	}
	return false
}

func ids(list []string) string {
	if len(list) == 0 {
		return ""
	}
	if len(list) > 4 {
		list = append(slices.Clone(list[:4]), "…")
	}
	return " (" + strings.Join(list, ", ") + ")"
}

// Plural counts in words: "1 effect", "2 effects".
func Plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
