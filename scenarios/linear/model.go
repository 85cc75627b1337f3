package linear

import (
	"github.com/anishathalye/porcupine"

	"github.com/oncespec/oncespec/mockapi/contract"
	"github.com/oncespec/oncespec/mockapi/reference"
)

// request is what an attempt asks: its payload, by name; empty: the intent's own.
type request struct{ payload string }

// final is the count in the end.
type final struct {
	effects  int
	resource string // the one that is there; empty: not known
}

// told is what became of an attempt, as far as its caller knows.
type told struct {
	what     what
	resource string // success: that it names; empty: not known
	status   int    // refusal and broken
}

type what int

const (
	lostAnswer what = iota
	success
	wait
	mismatch
	refusal
	broken
)

// state is the record of a key as far as it matters here, and the effects made under it. An attempt takes effect at one
// moment, that of its claim, so no state in between is modelled.
type state struct {
	known    reference.State
	payload  string
	resource string // of the result; empty: nobody was told yet
	status   int    // of a failure that is kept
	effects  int
}

const (
	scope, key, owner = "s", "k", "o"
	// tooMany effects are as bad as any more.
	tooMany = 3
)

// search counts its steps: beyond the bound it ends by refusing every one.
type search struct {
	contract contract.Contract
	steps    int
}

func (s *search) model() porcupine.Model {
	m := porcupine.NondeterministicModel{
		Init: func() []any { return []any{state{}} },
		Step: func(from, in, out any) []any {
			if s.steps++; s.steps > mostSteps {
				return nil
			}
			var next []any
			for _, to := range s.step(from.(state), in, out) {
				next = append(next, to)
			}
			return next
		},
		Equal: func(a, b any) bool { return a.(state) == b.(state) },
	}
	return m.ToModel()
}

// step gives the states that an operation may lead to; none: it cannot have been told that in this state.
func (s *search) step(from state, in, out any) []state {
	if c, ok := in.(final); ok {
		same := c.resource == "" || from.resource == "" || c.resource == from.resource
		if from.effects != c.effects || c.effects == 1 && !same {
			return nil
		}
		return []state{from}
	}
	payload, answer := in.(request).payload, out.(told)
	switch answer.what {
	case lostAnswer: // it may not have been carried out, may have been, or may have failed
		return append([]state{from}, append(s.carriedOut(from, payload, ""), s.failed(from, payload, 0, 400, 500)...)...)
	case success:
		return append(s.carriedOut(from, payload, answer.resource), s.replayed(from, payload, answer.resource)...)
	case wait:
		return []state{from} // an attempt whose answer was lost may be at work
	case mismatch:
		return s.conflicting(from, payload)
	case broken: // 5xx: whether anything was done is not known
		return append([]state{from}, append(s.carriedOut(from, payload, ""), s.failed(from, payload, answer.status, answer.status)...)...)
	}
	refused := append(s.failed(from, payload, answer.status, answer.status), s.conflicting(from, payload)...)
	if s.contract.Fidelity.OnlyEffect() && from.known == reference.Succeeded {
		refused = append(refused, from) // every duplicate may be refused
	}
	return refused
}

// claim asks the reference what a request meets.
func (s *search) claim(from state, payload string) (reference.Record, reference.Decision) {
	r := reference.Record{}
	if from.known != reference.Absent {
		r = reference.Record{Scope: scope, Key: key, Fingerprint: from.payload, State: from.known, Owner: owner, Version: 1}
	}
	return reference.Step(s.contract, r, reference.Claim{Scope: scope, Key: key, Fingerprint: payload, Owner: owner}, r.Created)
}

// carriedOut is the work done by this attempt.
func (s *search) carriedOut(from state, payload, resource string) []state {
	r, decision := s.claim(from, payload)
	if decision != reference.Execute {
		return nil
	}
	r, decision = reference.Step(s.contract, r, reference.Complete{Owner: r.Owner, Version: r.Version}, r.Created)
	if decision != reference.Recorded {
		return nil
	}
	return []state{{known: r.State, payload: payload, resource: resource, effects: min(from.effects+1, tooMany)}}
}

// replayed is an earlier attempt's result given to this one.
func (s *search) replayed(from state, payload, resource string) []state {
	_, decision := s.claim(from, payload)
	if decision != reference.Replay || from.known != reference.Succeeded {
		return nil
	}
	switch {
	case from.resource == "":
		from.resource = resource // the attempt that did the work lost its answer
	case resource != "" && resource != from.resource:
		return nil // it was given another operation's result
	}
	return []state{from}
}

// failed is the work begun and not done, with an answer of one of the statuses, or the answer of such a failure again.
func (s *search) failed(from state, payload string, said int, statuses ...int) (next []state) {
	r, decision := s.claim(from, payload)
	switch {
	case decision == reference.Replay && from.known == reference.Failed && (said == 0 || from.status == 0 || from.status == said):
		return []state{from}
	case decision != reference.Execute:
		return nil
	}
	for _, status := range statuses {
		for _, invalid := range []bool{false, true} {
			f := reference.Fail{Owner: r.Owner, Version: r.Version, Answer: reference.Answer{Status: status}, Invalid: invalid}
			after, decision := reference.Step(s.contract, r, f, r.Created)
			if decision != reference.Recorded {
				continue
			}
			to := state{known: after.State, payload: payload, effects: from.effects}
			if after.State == reference.Failed {
				to.status = said
			}
			next = append(next, to)
		}
	}
	return next
}

// conflicting is the refusal of a payload that is not the key's. Which contracts replay or carry it out is no matter: refusing it
// is right under all of them.
func (s *search) conflicting(from state, payload string) []state {
	if from.known == reference.Absent || from.payload == payload {
		return nil
	}
	return []state{from}
}
