package linear

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/anishathalye/porcupine"

	"github.com/oncespec/oncespec/mockapi/contract"
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/rule"
)

// How a search ended.
type How string

// The ends.
const (
	Explained   How = "explained"
	Unexplained How = "not explained"
	TooHot      How = "too many attempts under one key" // judged by the linear rules of package rule alone
	TooLong     How = "too many steps"
)

const (
	// mostAttempts is how many attempts under one key are looked at: beyond it the search may take for ever.
	mostAttempts = 64
	// mostSteps bounds the search for one key.
	mostSteps = 200_000
)

// Explanation says whether one key's history is one that the reference could have led to.
type Explanation struct {
	How        How
	Detail     string // for people
	Operations int    // that were put in order
	Steps      int    // of the search
}

// Model holds what is the same for all keys of a history.
type Model struct {
	contract contract.Contract
	keys     map[string]*history.History // by intent: what happened under its key
	place    string                      // where answers name what was made; empty: not known
}

// New looks at a history as a whole: where answers name the resource that a probe found.
func New(c contract.Contract, h *history.History) *Model {
	keys := apart(h)
	return &Model{contract: c, keys: keys, place: naming(c, h, keys)}
}

// apart splits a history by intent, once: searching all of it for each intent would be quadratic.
func apart(h *history.History) map[string]*history.History {
	keys := map[string]*history.History{}
	for _, in := range h.Intents {
		keys[in.ID] = &history.History{Intents: []history.Intent{in}}
	}
	for _, e := range h.Events {
		of := ""
		switch {
		case e.Attempt != nil:
			of = e.Attempt.Intent
		case e.Observation != nil:
			of = e.Observation.Intent
		}
		if key := keys[of]; key != nil {
			key.Events = append(key.Events, e)
		}
	}
	return keys
}

// Explain looks for an order of what happened under one intent's key.
func (m *Model) Explain(intent string) Explanation {
	ops := m.operations(intent)
	e := Explanation{How: Explained, Operations: len(ops)}
	if len(ops) > mostAttempts {
		e.How, e.Detail = TooHot, fmt.Sprintf("%d operations under one key", len(ops))
		return e
	}
	s := &search{contract: m.contract}
	ok := porcupine.CheckOperations(s.model(), ops)
	e.Steps = s.steps
	switch {
	case s.steps > mostSteps:
		e.How, e.Detail = TooLong, fmt.Sprintf("no order of %d operations was found in %d steps", len(ops), mostSteps)
	case !ok:
		e.How, e.Detail = Unexplained, m.story(intent)
	}
	return e
}

// of is what happened under an intent's key.
func (m *Model) of(intent string) *history.History {
	if key := m.keys[intent]; key != nil {
		return key
	}
	return &history.History{}
}

// keptLost is how many lost attempts of one payload are searched, the earliest ones. Two are enough: one may have begun and
// failed, which binds the key to its payload, and another may have done the work. Whatever further ones did, these two could
// have done.
const keptLost = 2

// never is when a lost attempt returns.
const never = math.MaxInt64

// operations are the attempts of one key that may have been carried out or tell something, and the final count.
func (m *Model) operations(intent string) (ops []porcupine.Operation) {
	lost := map[string]int{} // by payload: how many lost attempts are kept
	attempts := m.of(intent).Attempts()
	slices.SortStableFunc(attempts, func(a, b *history.Attempt) int { return cmp.Compare(a.Began, b.Began) })
	for _, a := range attempts {
		o := m.said(a)
		if a.Outcome == history.Unsent {
			continue // it never reached the target
		}
		op := porcupine.Operation{Input: request{a.Variant}, Output: o, Call: a.Began, Return: a.Ended}
		if o.what == lostAnswer {
			op.Return = never
			if lost[a.Variant]++; lost[a.Variant] > keptLost {
				continue
			}
		}
		ops = append(ops, op)
	}
	if count, ok := m.count(intent); ok {
		at := int64(0) // the count comes after every attempt that returned
		for _, op := range ops {
			if op.Return != never {
				at = max(at, op.Return)
			}
			at = max(at, op.Call)
		}
		ops = append(ops, porcupine.Operation{Input: count, Call: at + 1, Return: at + 1})
	}
	return ops
}

// said is what an attempt's answer tells.
func (m *Model) said(a *history.Attempt) told {
	switch class := m.contract.Classify(a.Exchange()); {
	case a.Replaced || class == contract.Unknown:
		return told{what: lostAnswer}
	case class.Success():
		return told{what: success, resource: m.resource(a.Answer)}
	case class == contract.InFlightAnswer || a.Answer.Status == 429:
		return told{what: wait}
	case class == contract.Mismatch:
		return told{what: mismatch}
	case class == contract.Failed:
		return told{what: broken, status: a.Answer.Status}
	default:
		return told{what: refusal, status: a.Answer.Status}
	}
}

// count is how many effects of the intent are there in the end, by the probes that can tell: a duplicate that went away again
// was still made.
func (m *Model) count(intent string) (c final, ok bool) {
	for _, t := range rule.Afterwards(m.of(intent), intent) {
		if t.Unread != "" || t.Odd != "" {
			continue
		}
		switch {
		case t.Most > 1:
			c.effects = max(c.effects, t.Most)
		case t.Extra && t.Last == 0:
			continue
		case !ok:
			c.effects = t.Last
		case c.effects <= 1:
			c.effects = min(c.effects, t.Last)
		}
		ok = true
		if t.Kind == history.Resource && len(t.IDs) == 1 {
			c.resource = t.IDs[0]
		}
	}
	return c, ok
}

// naming finds the place (a leaf) where most answers name the resource that a probe found.
func naming(c contract.Contract, h *history.History, keys map[string]*history.History) (place string) {
	votes, most := map[string]int{}, 0
	for _, in := range h.Intents {
		key := keys[in.ID]
		for _, t := range rule.Tallies(key, in.ID) {
			for _, id := range t.IDs {
				for _, a := range key.Attempts() {
					if a.Replaced || !c.Classify(a.Exchange()).Success() {
						continue
					}
					leaves := rule.Leaves(a.Answer.Body)
					for _, at := range rule.Places(a.Answer, id) {
						if leaves[at] != id {
							continue
						}
						votes[at]++
						if n := votes[at]; n > most || n == most && at < place {
							most, place = n, at
						}
					}
				}
			}
		}
	}
	return place
}

// resource is what an answer names; empty: it cannot be told.
func (m *Model) resource(a *history.Answer) string {
	if m.place == "" || a == nil {
		return ""
	}
	return rule.Leaves(a.Body)[m.place]
}

// story puts what was seen of a key in a line.
func (m *Model) story(intent string) string {
	text := ""
	for _, a := range m.of(intent).Attempts() {
		if text != "" {
			text += ", "
		}
		if a.Variant != "" {
			text += "changed payload: "
		}
		text += m.word(a)
	}
	if c, ok := m.count(intent); ok {
		text += fmt.Sprintf("; in the end %s", rule.Plural(c.effects, "effect"))
		if c.resource != "" {
			text += " (" + c.resource + ")"
		}
	}
	return "no order of its attempts explains what they were told: " + text
}

func (m *Model) word(a *history.Attempt) string {
	if a.Outcome != history.Answered || a.Answer == nil || a.Replaced {
		return a.Outcome
	}
	text := fmt.Sprintf("%d %s", a.Answer.Status, m.contract.Classify(a.Exchange()))
	if r := m.resource(a.Answer); r != "" {
		text += " (" + r + ")"
	}
	return text
}
