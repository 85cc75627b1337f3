package suites_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/oncespec/oncespec/scenarios/catalogue"
	"github.com/oncespec/oncespec/scenarios/history"
)

// attempts changes those that something was planned for.
func attempts(planned string, change func(h *history.History, a *history.Attempt)) func(*history.History) bool {
	return func(h *history.History) (found bool) {
		for _, a := range h.Attempts() {
			if strings.Contains(a.Fault, planned) {
				found = true
				change(h, a)
			}
		}
		return found
	}
}

// letThrough makes an attempt one whose connection let everything through.
func letThrough(h *history.History, a *history.Attempt) {
	a.Outcome, a.Reason, a.TimedOut, a.Replaced = history.Answered, "", false, false
	a.Link.RequestWhole, a.Link.Cut, a.Link.Held = true, false, false
	a.Link.ResponseBytes = max(a.Link.ResponseBytes, 200)
	a.Link.ForwardedBytes = a.Link.ResponseBytes
	if a.Link.FirstByteAt == 0 {
		a.Link.FirstByteAt = a.Link.LastRequestAt + 1
	}
	a.Answer = answerOf(h, a.Intent)
}

// answerOf is what an intent was answered when nothing was in the way.
func answerOf(h *history.History, intent string) *history.Answer {
	answer := &history.Answer{Status: 201, Header: map[string][]string{}}
	for _, a := range h.AttemptsOf(intent) {
		if a.Outcome == history.Answered && a.Answer != nil && a.Answer.Status < 300 && a.Fault == "" {
			answer = a.Answer
		}
	}
	return answer
}

// atOnce makes an attempt one whose request came in one piece.
func atOnce(_ *history.History, a *history.Attempt) { a.Link.LastRequestAt = a.Began + 100 }

// notLanded makes faults of these kinds such as were not seen to happen.
func notLanded(kinds ...string) func(*history.History) bool {
	return func(h *history.History) bool {
		found := h.Faults(kinds...)
		for _, f := range found {
			f.Landed, f.Moved = false, 0
		}
		return len(found) > 0
	}
}

// without takes faults of these kinds away.
func without(kinds ...string) func(*history.History) bool {
	return func(h *history.History) bool {
		before := len(h.Events)
		h.Events = slices.DeleteFunc(h.Events, func(e history.Event) bool { return e.Fault != nil && slices.Contains(kinds, e.Fault.Kind) })
		for i := range h.Events {
			h.Events[i].Seq = i + 1
		}
		return len(h.Events) < before
	}
}

// all does several things to a history; it counts as changed where one of them found something.
func all(changes ...func(*history.History) bool) func(*history.History) bool {
	return func(h *history.History) (found bool) {
		for _, change := range changes {
			found = change(h) || found
		}
		return found
	}
}

// calls changes what the ledger saw downstream.
func calls(change func(*history.Call)) func(*history.History) bool {
	return func(h *history.History) (found bool) {
		for _, e := range h.Events {
			for i := range observed(e) {
				found = true
				change(&e.Observation.Calls[i])
			}
		}
		return found
	}
}

func observed(e history.Event) []history.Call {
	if e.Observation == nil {
		return nil
	}
	return e.Observation.Calls
}

// answeredBefore makes faults of a kind come when the attempts that they were to strike had been answered.
func answeredBefore(kind string) func(*history.History) bool {
	return func(h *history.History) bool {
		found := h.Faults(kind)
		if len(found) == 0 || kind == history.FaultStop && !h.Has(string(catalogue.NeedGate)) && !h.Has(string(catalogue.NeedStoreLink)) {
			return false // an operation that nothing can hold up may always be over first: not assessed
		}
		late := int64(0)
		for _, a := range h.Attempts("first") {
			letThrough(h, a)
			a.Ended = a.Link.FirstByteAt + 1
			late = max(late, a.Ended)
		}
		for _, f := range found {
			f.Given, f.Phase = max(f.Given, late+1), history.AfterRecord
		}
		return true
	}
}

// neverBack makes the target stay down after its kill: nothing reaches it any more.
func neverBack(h *history.History) (found bool) {
	for _, e := range h.Events {
		switch {
		case e.Fault != nil && e.Fault.Kind == history.FaultRestart:
			e.Fault.Landed, found = false, true
		case found && e.Attempt != nil && e.Attempt.Label == "retry":
			a := e.Attempt
			a.Outcome, a.Reason, a.Answer, a.Link = history.Unsent, "connection refused", nil, history.Link{}
		}
	}
	return found
}

// oneByOne makes bursts such as a rung sent one request after another, each when the one before was answered.
func oneByOne(rung string) func(*history.History) bool {
	return func(h *history.History) bool { return oneAfterAnother(h, rung) }
}

func oneAfterAnother(h *history.History, rung string) bool {
	bursts := h.Bursts("")
	for _, b := range bursts {
		h.Rung, b.Rung = rung, rung
		b.AtStore, b.Delivered, b.Together, b.Overlapped, b.Strong = 1, 0, 1, 0, false
		at := int64(0)
		for _, e := range h.Events {
			at = max(at, e.At)
		}
		for _, a := range h.Attempts(b.Label) {
			if slices.Contains(b.Attempts, a.ID) {
				a.Began, a.Link.LastRequestAt, a.Link.FirstByteAt, a.Ended = at+1, at+2, at+3, at+4
				at += 4
			}
		}
	}
	return len(bursts) > 0
}

// refusedAlone makes the changed payload one that the target refuses under a fresh key, too.
func refusedAlone(h *history.History) (found bool) {
	for _, a := range h.Attempts("control") {
		a.Answer, found = &history.Answer{Status: 400, Header: map[string][]string{}}, true
	}
	return found
}

// holdsWithoutProof runs the check on a stored run, and holds it to have had the faults, except those that only another run has.
func holdsWithoutProof(t *testing.T, dir string, elsewhere func(fault string) bool) {
	t.Helper()
	had := inconclusiveWithout(t, dir)
	for _, p := range selfProof {
		if p.missed != nil && !slices.Contains(had, p.fault) && !elsewhere(p.fault) {
			t.Errorf("the run never had %q", p.fault)
		}
	}
	t.Log(fmt.Sprintf("%d faults: ", len(had)), strings.Join(had, ", "))
}
