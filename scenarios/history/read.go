package history

import (
	"math"
	"slices"
	"strings"

	"github.com/oncespec/oncespec/mockapi/contract"
)

// Attempts returns the attempts with one of the labels, in order; without labels all of them.
func (h *History) Attempts(labels ...string) []*Attempt {
	return collect(h, func(e Event) *Attempt {
		if e.Attempt != nil && (len(labels) == 0 || slices.Contains(labels, e.Attempt.Label)) {
			return e.Attempt
		}
		return nil
	})
}

// AttemptsOf returns the attempts of one intent, in order.
func (h *History) AttemptsOf(intent string) []*Attempt {
	return collect(h, func(e Event) *Attempt {
		if e.Attempt != nil && e.Attempt.Intent == intent {
			return e.Attempt
		}
		return nil
	})
}

// First returns the first attempt with the label, or nil.
func (h *History) First(label string) *Attempt {
	if found := h.Attempts(label); len(found) > 0 {
		return found[0]
	}
	return nil
}

// Last returns the last attempt with the label, or nil.
func (h *History) Last(label string) *Attempt {
	if found := h.Attempts(label); len(found) > 0 {
		return found[len(found)-1]
	}
	return nil
}

// Observations returns the readings for one intent ("" = any) at the moments (none = all), in order.
func (h *History) Observations(intent string, moments ...string) []*Observation {
	return collect(h, func(e Event) *Observation {
		o := e.Observation
		if o != nil && (intent == "" || o.Intent == intent) && (len(moments) == 0 || slices.Contains(moments, o.Moment)) {
			return o
		}
		return nil
	})
}

// Faults returns the faults of the kinds (none = all), in order.
func (h *History) Faults(kinds ...string) []*Fault {
	return collect(h, func(e Event) *Fault {
		if e.Fault != nil && (len(kinds) == 0 || slices.Contains(kinds, e.Fault.Kind)) {
			return e.Fault
		}
		return nil
	})
}

// Statuses returns the status readings at the moments (none = all), in order.
func (h *History) Statuses(moments ...string) []*Status {
	return collect(h, func(e Event) *Status {
		if e.Status != nil && (len(moments) == 0 || slices.Contains(moments, e.Status.Moment)) {
			return e.Status
		}
		return nil
	})
}

// Bursts returns the bursts with the label ("" = any), in order.
func (h *History) Bursts(label string) []*Burst {
	return collect(h, func(e Event) *Burst {
		if e.Burst != nil && (label == "" || e.Burst.Label == label) {
			return e.Burst
		}
		return nil
	})
}

// Intent returns the intent with the id, or nil.
func (h *History) Intent(id string) *Intent {
	for i := range h.Intents {
		if h.Intents[i].ID == id {
			return &h.Intents[i]
		}
	}
	return nil
}

// Has tells whether the target offered the need.
func (h *History) Has(need string) bool { return slices.Contains(h.Capabilities, need) }

func collect[T any](h *History, pick func(Event) *T) []*T {
	var out []*T
	for _, e := range h.Events {
		if t := pick(e); t != nil {
			out = append(out, t)
		}
	}
	return out
}

// Held tells when the intent's downstream call was held at the gate, in microseconds since the run began: from when it had
// arrived until it was let go, or for ever. Not ok: no call of the intent was seen to be held.
func (h *History) Held(intent string) (from, until int64, ok bool) {
	for _, e := range h.Events {
		switch {
		case e.Fault == nil || e.Fault.Intent != "" && e.Fault.Intent != intent:
		case e.Fault.Kind == FaultHold && e.Fault.Landed && !ok:
			from, until, ok = e.At, math.MaxInt64, true
		case e.Fault.Kind == FaultPause || e.Fault.Kind == FaultResume: // the call is held all the while
		case strings.HasPrefix(e.Fault.Kind, "store-"): // is about another link
		case e.Fault.Kind != FaultHold && ok && until == math.MaxInt64:
			until = e.At // released, failed, dropped, or the target is dead
		}
	}
	return from, until, ok
}

// Exchange is what the caller held after the attempt; nothing where there was none.
func (a *Attempt) Exchange() contract.Exchange {
	if a == nil || a.Outcome != Answered || a.Answer == nil {
		return contract.Exchange{Lost: true}
	}
	return contract.Exchange{Status: a.Answer.Status, Header: a.Answer.Header, Body: []byte(a.Answer.Body.Text), Idle: a.Idle}
}
