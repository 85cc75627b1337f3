package fingerprint

import (
	"context"
	"slices"

	"github.com/oncespec/oncespec/mockapi/contract"
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/rewrite"
	"github.com/oncespec/oncespec/scenarios/rule"
	"github.com/oncespec/oncespec/scenarios/target"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

// What a search outside of a run builds on: the same procedures, and the same rules in its loop.

// Screen sends many pairs that share one A, and tells what they show. The history is the stage's.
func Screen(ctx context.Context, s *target.Stage, shape Shape, g Screening) (Screened, error) {
	if err := screen(ctx, s, shape, g); err != nil {
		return Screened{}, err
	}
	return shown(s), nil
}

// shown is what a stage's screening shows.
func shown(s *target.Stage) Screened {
	hs := s.Histories()
	if len(hs) == 0 {
		return Screened{}
	}
	return screened(caseOf(s.Contract(), hs[0]), hs[0])
}

// ScreenedLate counts the effects of a screening once more, and tells what it shows now.
func ScreenedLate(ctx context.Context, s *target.Stage, in *target.Intent) Screened {
	s.Observe(ctx, in, history.AtTheEnd)
	return shown(s)
}

// SendPair sends one pair under keys of its own, with the controls that its judgement needs. It is false where the trial does
// not fit the request.
func SendPair(ctx context.Context, s *target.Stage, shape Shape, t rewrite.Trial) (fits bool, err error) {
	return sendPair(ctx, s, shape, t)
}

// Judge is the verdict on the history of one pair.
func Judge(promised contract.Contract, h *history.History) (rule.Finding, bool) {
	_, f, ok := judge(caseOf(promised, h), h)
	return f, ok
}

// answered tells whether it is known if the i-th B of a screening is accepted under a key of its own.
func answered(s *target.Stage, i int) bool {
	hs := s.Histories()
	if len(hs) == 0 {
		return false
	}
	c := caseOf(s.Contract(), hs[0])
	b := hs[0].First(own(i))
	return b != nil && c.Undecided(b) == ""
}

// confused tells whether the pair just sent breaks what its rewrite asks.
func confused(s *target.Stage) bool {
	return slices.ContainsFunc(s.Histories(), func(h *history.History) bool {
		f, ok := Judge(s.Contract(), h)
		return ok && f.Outcome == verdict.Fail
	})
}

// Control sends B under a key of its own and tells whether it is accepted: a B that is invalid proves nothing by being refused
// under A's key. Says is what it was answered where it was not; empty: nobody knows. The intent is a fresh one.
func Control(ctx context.Context, s *target.Stage, in *target.Intent, shape Shape, t rewrite.Trial) (accepted bool, says string, err error) {
	if err := control(ctx, s, in, shape, t, "control", func(p rewrite.Pair) rewrite.Request { return p.B }); err != nil {
		return false, "", err
	}
	hs := s.Histories()
	if len(hs) == 0 {
		return false, "", nil
	}
	c := caseOf(s.Contract(), hs[0])
	b := hs[0].First("control")
	if b == nil || c.Undecided(b) != "" {
		return false, "", nil
	}
	return c.Succeeded(b), c.Says(b), nil
}

// Try sends A and B alone, without controls, and tells whether the outcome is one that the rewrite's class does not allow:
// what a search asks of a smaller pair. Kind is "" where it is allowed or nothing can be told. The intent is a fresh one; nil:
// one is made.
func Try(ctx context.Context, s *target.Stage, in *target.Intent, shape Shape, t rewrite.Trial) (kind Kind, err error) {
	in, pair, fits, err := fresh(ctx, s, in, shape, t)
	if err != nil || !fits {
		return "", err
	}
	own, err := s.Compose(in, target.Send{})
	if err != nil {
		return "", err
	}
	s.About(history.Rewrite{ID: t.Rewrite, At: t.Site.At, Prepared: !sameValues(own.Body, pair.A.Body), Guess: t.Site.Guess})
	first := s.Do(ctx, in, target.Send{Label: "first", Exact: &pair.A, Direct: shape.Direct})
	if !s.Class(first).Success() {
		return "", nil
	}
	s.Do(ctx, in, target.Send{Label: "rewritten", Exact: &pair.B, Variant: t.Rewrite, Direct: shape.Direct})
	shape.observe(ctx, s, in)
	hs := s.Histories()
	if len(hs) == 0 {
		return "", nil
	}
	return KindOf(s.Contract(), hs[0]), nil
}

// TryOriginal tells whether a refused B takes A's record with it: A replays before B, and is refused after it.
func TryOriginal(ctx context.Context, s *target.Stage, shape Shape, t rewrite.Trial) (Kind, error) {
	in, pair, fits, err := fresh(ctx, s, nil, shape, t)
	if err != nil || !fits {
		return "", err
	}
	s.About(history.Rewrite{ID: t.Rewrite, At: t.Site.At, Guess: t.Site.Guess})
	for _, send := range []target.Send{
		{Label: "first", Exact: &pair.A}, {Label: "before", Exact: &pair.A}, {Label: "rewritten", Exact: &pair.B, Variant: t.Rewrite}, {Label: "again", Exact: &pair.A},
	} {
		send.Direct = shape.Direct
		s.Do(ctx, in, send)
	}
	s.Observe(ctx, in, "after")
	if hs := s.Histories(); len(hs) > 0 {
		return lostOriginal(s.Contract(), hs[0]), nil
	}
	return "", nil
}

// SampleOf is an intent's request with what may change in it.
func SampleOf(s *target.Stage, in *target.Intent, shape Shape) (*rewrite.Sample, error) {
	return sampleOf(s, in, shape)
}

// Warns tells whether a finding is about general practice, not about a standard.
func Warns(f rule.Finding) bool { return f.Outcome == verdict.Fail && f.Level == verdict.Should }

func caseOf(promised contract.Contract, h *history.History) rule.Case {
	operation := ""
	if len(h.Operations) > 0 {
		operation = h.Operations[0]
	}
	return rule.Case{Contract: promised, Operation: operation, Histories: []*history.History{h}}
}
