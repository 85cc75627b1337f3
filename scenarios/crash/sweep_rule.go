package crash

import (
	"fmt"
	"slices"
	"strings"

	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/rule"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

// Parts of a sweep: where the target was seen to stand when it died.
const (
	inFlight = "in-flight" // it had the request and had not begun to answer; more is not known
	resolves = "resolves"
)

// mostNamed is how many instants are named one by one.
const mostNamed = 8

// hits are the attempts that a sweep's kills hit in one part.
type hits struct {
	at    []string // when, or where
	stuck int
	wrong []rule.Finding // fails, and what could not be read
	ids   []string
}

// sweepRule sums up all kills of a sweep. An attempt that a kill did not hit counts where it speaks against the target.
func sweepRule(c rule.Case) (all []rule.Finding) {
	parts, unhit, at := map[string]*hits{}, 0, inFlightOf(c)
	for _, h := range c.Histories {
		kill, missing := killOf(h)
		if missing != "" {
			continue // the calibration, or a kill that did not come off
		}
		for _, in := range h.Intents {
			part, where := struck(h, kill, in.ID)
			if part == "" {
				unhit++
				if end := c.End(h, in.ID); end.Broken() {
					all = append(all, rule.Fail(verdict.Weak, "%s: %s", end.How, end.Detail).In(inFlight).At(h.ID))
				}
				continue
			}
			if parts[part] == nil {
				parts[part] = &hits{}
			}
			parts[part].judge(c, h, in.ID, where)
			all = append(all, settles(c, h, in.ID)...)
		}
	}
	if through := unshown(c); len(parts) == 0 && unhit > 0 && through != "" {
		return append(all, rule.NotAssessed("nothing shows that a request which was not answered had come through %s when the target died", through).In(inFlight).At(c.IDs()...))
	} else if len(parts) == 0 {
		return append(all, rule.Inconclusive(verdict.Environment, "no kill was seen to hit an attempt: %s", unhitWords(c, unhit)).In(inFlight).At(c.IDs()...))
	}
	for _, part := range []string{inFlight, history.AfterClaim, history.AfterEffect, history.AfterRecord, roundTrip} {
		if parts[part] != nil && part == inFlight {
			all = append(all, parts[part].sum(part, at.proof(), at.words())...)
		} else if parts[part] != nil {
			all = append(all, parts[part].sum(part, verdict.Strong, fmt.Sprintf("%d killed %s", len(parts[part].at), parts[part].when(part)))...)
		} else if tried := aimed(c, part); tried > 0 {
			all = append(all, rule.NotAssessed("%s came, but the target was past it, or had not come to it", rule.Plural(tried, "kill")).In(part))
		}
	}
	return all
}

// aimed counts the kills that might have hit a part.
func aimed(c rule.Case, part string) (n int) {
	for _, h := range c.Histories {
		kind, _, _ := strings.Cut(h.Trial, "=")
		if _, missing := killOf(h); missing == "" && (kind == part || (part == inFlight || part == history.AfterRecord) && kind != roundTrip) {
			n++
		}
	}
	return n
}

func unhitWords(c rule.Case, unhit int) string {
	if unhit > 0 {
		return fmt.Sprintf("%d attempts had been answered, or had not reached the target, when it died", unhit)
	}
	if len(c.Histories) > 0 {
		return "the target was not killed"
	}
	return "nothing was sent"
}

// struck names the part of a kill and when or where it hit the intent's first attempt; empty: it is not shown to have hit it.
func struck(h *history.History, kill *history.Fault, intent string) (part, where string) {
	a := firstOf(h, intent)
	since := came(h, a)
	if since == 0 || since > kill.Given || !a.Link.RequestWhole && !known(h, kill, a) {
		return "", ""
	}
	if a.Outcome == history.Answered && a.Ended < kill.Given {
		return "", ""
	}
	where = ms(kill.Given-since) + " ms"
	switch {
	case a.Link.FirstByteAt > 0:
		return history.AfterRecord, where
	case strings.HasPrefix(h.Trial, roundTrip) && storeHeld(h):
		_, trip, _ := strings.Cut(h.Trial, "=")
		return roundTrip, trip
	case kill.Intent == intent && (kill.Phase == history.AfterClaim || kill.Phase == history.AfterEffect):
		return kill.Phase, where
	case rule.ShownAt(h, intent, whenDead):
		return history.AfterEffect, where
	}
	return inFlight, where
}

// came is when the target had an attempt's request and could work on it, later by how long it stood still since; 0: it was
// never seen to.
func came(h *history.History, a *history.Attempt) int64 {
	if a == nil || a.Link.LastRequestAt == 0 {
		return 0
	}
	if len(h.Faults(history.FaultPause)) == 0 {
		return a.Link.LastRequestAt
	}
	still := int64(0)
	for _, stood := range h.Faults(history.FaultSteps) {
		still += stood.Moved
	}
	for _, woken := range h.Faults(history.FaultResume) {
		if woken.Landed {
			return max(a.Link.LastRequestAt, woken.Given) + still
		}
	}
	return 0
}

// known tells whether the target showed that it had a request of which the link cannot say so.
func known(h *history.History, kill *history.Fault, a *history.Attempt) bool {
	if a.Link.Through == "" {
		return false
	}
	if shown(h, a.Intent) || slices.ContainsFunc(h.Observations(a.Intent, whenDead, restarted), func(o *history.Observation) bool { return len(o.Calls) > 0 }) {
		return true
	}
	for _, s := range h.Statuses(restarted) {
		if s.Intent == a.Intent && s.State != "" && s.State != history.Absent {
			return true
		}
	}
	return kill.Intent == a.Intent && (kill.Phase == history.AfterClaim || kill.Phase == history.AfterEffect)
}

// shown tells whether an effect of the intent was seen before it was retried.
func shown(h *history.History, intent string) bool {
	return rule.ShownAt(h, intent, whenDead) || rule.ShownAt(h, intent, restarted)
}

// unshown names what stood in front of the target where requests were sent before a kill, and nothing came back that would show
// that the target had them. Empty: there were none.
func unshown(c rule.Case) (through string) {
	for _, h := range c.Histories {
		kill, missing := killOf(h)
		if missing != "" {
			continue
		}
		for _, a := range h.Attempts("first") {
			if a.Link.FirstByteAt == 0 && a.Link.LastRequestAt > 0 && a.Link.LastRequestAt <= kill.Given {
				through = a.Link.Through
			}
		}
	}
	return through
}

func firstOf(h *history.History, intent string) *history.Attempt {
	for _, a := range h.Attempts("first") {
		if a.Intent == intent {
			return a
		}
	}
	return nil
}

// storeHeld tells whether something was held between the target and its database when it died.
func storeHeld(h *history.History) bool {
	return slices.ContainsFunc(h.Faults(history.FaultStoreHold), func(f *history.Fault) bool { return f.Landed })
}

func (t *hits) judge(c rule.Case, h *history.History, intent, where string) {
	t.at = append(t.at, where)
	t.ids = append(t.ids, h.ID)
	end := c.End(h, intent)
	switch {
	case end.Broken():
		t.wrong = append(t.wrong, rule.Fail(verdict.Strong, "killed %s: %s: %s", after(where), end.How, end.Detail).At(h.ID))
	case end.How == rule.Unread:
		t.wrong = append(t.wrong, rule.Inconclusive(verdict.Environment, "%s", end.Detail).At(h.ID))
	case end.Last == nil || !end.Last.Link.Reached || restart(h) == 0 || end.Last.Began < restart(h):
		t.wrong = append(t.wrong, rule.Inconclusive(verdict.Environment, "%s", noRetry(h, end)).At(h.ID))
	case end.How == rule.Open:
		t.stuck++
	}
}

// after says when a kill came, or at which round trip.
func after(where string) string {
	if strings.HasSuffix(where, "ms") {
		return where + " after the request"
	}
	return "at round trip " + where
}

// sum is one finding for all that went well, and one for each that did not.
func (t *hits) sum(part string, proof verdict.Proof, killed string) []rule.Finding {
	list := slices.Clone(t.wrong)
	if len(list) == 0 {
		detail := killed + ": at most one effect each"
		if t.stuck > 0 {
			detail += fmt.Sprintf(", %d of them stuck but safe", t.stuck)
		}
		list = append(list, rule.Pass(proof, "%s", detail).At(t.ids...))
	}
	for i := range list {
		list[i] = list[i].In(part)
	}
	return list
}

func (t *hits) when(part string) string {
	at := slices.Clone(t.at)
	slices.SortFunc(at, func(a, b string) int {
		if d := len(a) - len(b); d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
	if part == roundTrip {
		return "at round trips " + strings.Join(at, ", ")
	}
	if len(at) > mostNamed {
		return at[0] + " to " + at[len(at)-1] + " after the request"
	}
	return strings.Join(at, ", ") + " after the request"
}

// settles judges whether an operation that a kill hit comes to an end.
func settles(c rule.Case, h *history.History, intent string) []rule.Finding {
	end, restarted := c.End(h, intent), restart(h)
	if restarted == 0 || end.Last == nil || end.Last.Began < restarted || !end.Last.Link.Reached {
		return nil
	}
	if unresolved(c, end.Last) {
		return one(leftOpen(c, end, stateAfter(h, intent)).In(resolves).At(h.ID))
	}
	return one(rule.Pass(verdict.Strong, "resolved after the restart").In(resolves).At(h.ID))
}
