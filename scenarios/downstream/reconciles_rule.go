package downstream

import (
	"fmt"

	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/rule"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

func reconcilesRule(c rule.Case) []rule.Finding {
	var against []rule.Finding
	agreed := 0
	for _, h := range c.Histories {
		for _, in := range soleIntents(c, h) {
			switch problem, compared := disagreement(c, h, in.ID); {
			case problem != "":
				against = append(against, rule.Fail(verdict.Strong, "%s", problem).At(h.ID))
			case compared:
				agreed++
			}
		}
	}
	switch {
	case len(against) > 0:
		return against
	case agreed == 0:
		return []rule.Finding{rule.NotAssessed("no operation could be compared with what is seen of it").At(c.IDs()...)}
	}
	return []rule.Finding{rule.Pass(verdict.Strong, "what was answered, what is there and what was booked agree for %d operations", agreed).At(c.IDs()...)}
}

// disagreement compares what an intent's caller was told with what the probes show of it, and those with one another. An
// operation that is still open may be half done. How many effects there are is judged elsewhere: here they must agree.
func disagreement(c rule.Case, h *history.History, intent string) (problem string, compared bool) {
	told := toldOf(c, h, intent)
	if told == "" {
		return "", false
	}
	var first *rule.Tally
	for _, t := range rule.Afterwards(h, intent) {
		switch {
		case t.Unread != "", t.Extra && t.Last == 0:
			continue
		case t.Odd != "":
			return fmt.Sprintf("%s moved by %s, which is no whole number of executions", t.Probe, t.Odd), true
		case told == succeeded && t.Last == 0:
			return fmt.Sprintf("answered with a success, but %s shows no effect", t.Probe), true
		case told != succeeded && t.Last > 0:
			return fmt.Sprintf("%s, but %s shows %d", told, t.Probe, t.Last), true
		case first != nil && first.Last != t.Last:
			return fmt.Sprintf("%s shows %d, and %s shows %d", first.Probe, first.Last, t.Probe, t.Last), true
		}
		if first == nil {
			first = &t
		}
	}
	return "", first != nil
}

const succeeded = "succeeded"

// toldOf is what the caller knows of an operation in the end; empty: nothing for sure.
func toldOf(c rule.Case, h *history.History, intent string) string {
	for _, a := range h.AttemptsOf(intent) {
		if c.Succeeded(a) {
			return succeeded
		}
	}
	state := ""
	for _, s := range h.Statuses() {
		if s.Intent == intent && s.State != "" {
			state = s.State
		}
	}
	if state == history.Failed {
		return "its state reads failed"
	}
	return ""
}
