package rule

import (
	"slices"

	"github.com/oncespec/oncespec/scenarios/history"
)

// Calls are all that the target made downstream for an intent, each once, as it was seen last.
func Calls(h *history.History, intent string) (all []history.Call) {
	seen := map[int]int{}
	for _, o := range h.Observations(intent) {
		if o.Kind != history.Ledger || o.Error != "" {
			continue
		}
		for _, call := range o.Calls {
			if at, ok := seen[call.Seq]; ok {
				all[at] = call // a later reading knows how it was answered
				continue
			}
			seen[call.Seq] = len(all)
			all = append(all, call)
		}
	}
	return all
}

// AnswerLost tells whether the gate booked a call of the intent and did not answer it.
func AnswerLost(h *history.History, intent string) bool {
	return slices.ContainsFunc(Calls(h, intent), func(c history.Call) bool { return c.Booked && c.Status == 0 })
}

// BookingRefused tells whether the gate answered a call of the intent with a failure and booked nothing.
func BookingRefused(h *history.History, intent string) bool {
	return slices.ContainsFunc(Calls(h, intent), func(c history.Call) bool { return c.Status >= 500 && !c.Booked && !c.Repeat })
}

// CalledAfterwards tells whether the target answered an attempt with its result before it made its downstream call. A hold at
// the gate, which waits only as long as the attempt is open, then has nothing to hold.
func (c Case) CalledAfterwards(h *history.History, first *history.Attempt) bool {
	return first != nil && c.Succeeded(first) && slices.ContainsFunc(Calls(h, first.Intent), func(call history.Call) bool { return call.At > first.Ended })
}
