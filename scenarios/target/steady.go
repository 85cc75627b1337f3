package target

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/oncespec/oncespec/scenarios/catalogue"
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/target/config"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

// Steady is the steady state of one operation.
type Steady struct {
	Offers  []catalogue.Need          // in the catalogue's order
	Missing map[catalogue.Need]string // need → why it is not offered
	Problem error                     // a *Problem, why nothing can be concluded from this target; nil when all is well
}

// Problem is why the steady state was not reached: the run cannot go on.
type Problem struct {
	Kind   ProblemKind
	Detail string // for people: what was expected, what was found, what to do
}

func (p *Problem) Error() string { return string(p.Kind) + ": " + p.Detail }

// ProblemKind tells problems apart.
type ProblemKind string

// The problems.
const (
	TargetDown    ProblemKind = "the target is down"
	WritesRefused ProblemKind = "writes are refused"
	EffectsUnseen ProblemKind = "effects cannot be seen"
)

// steadyScenario is where the steady state's history says that it comes from.
var steadyScenario = Scenario{ID: "steady/state"}

const largeBody = 1 << 20

// steadyFacts is what the steady state showed of an operation. The zero value knows nothing.
type steadyFacts struct {
	state  Steady
	lag    time.Duration     // until an effect is seen
	prompt bool              // the first look showed it: all of the lag is the look
	units  map[string]string // by value probe
	books  int               // how often one execution books the same thing downstream; 0: never
	change *change           // the standard changed payload
}

// steadyOf returns what the steady state showed of an operation.
func (t *Target) steadyOf(op *config.Operation) *steadyFacts {
	t.mu.Lock()
	defer t.mu.Unlock()
	if g := t.steady[op]; g != nil {
		return g
	}
	return &steadyFacts{}
}

// describe writes what was learnt into the header of a history.
func (g *steadyFacts) describe(h *history.History) {
	h.Capabilities = []string{}
	for _, n := range g.state.Offers {
		h.Capabilities = append(h.Capabilities, string(n))
	}
	h.Units = g.units
	h.LagMS = g.lag.Milliseconds()
}

// Steady finds the steady state of an operation and keeps it for the stages that follow: what an unfaulted write does and how
// long that takes to be seen, and a changed payload that is accepted under a key of its own. The error is that of a setup
// step or a limit; what the target does wrong is the steady state's Problem.
func (t *Target) Steady(ctx context.Context, op *config.Operation) (Steady, *history.History, error) {
	s := t.Stage(steadyScenario, op, StageOptions{})
	g := &steadyFacts{}
	err := s.study(ctx, g)
	if err == nil && g.state.Problem == nil {
		t.mu.Lock()
		t.steady[op] = g
		t.mu.Unlock()
	}
	if err != nil {
		s.Abort(err, verdict.Environment)
	}
	if g.state.Problem != nil {
		s.Abort(g.state.Problem, verdict.Environment)
	}
	g.describe(s.rec.history)
	hs := s.Histories()
	t.lastShared(ctx)
	t.actors.disperse()
	if len(hs) == 0 {
		return g.state, nil, err
	}
	return g.state, hs[0], err
}

// study makes the unfaulted write, then looks for a changed payload.
func (s *Stage) study(ctx context.Context, g *steadyFacts) error {
	in, err := s.Intent(ctx)
	if err != nil {
		return err
	}
	stored := s.StoreSeen()
	f := s.patiently(ctx, in, Send{Label: "steady"})
	a := f.Wait(ctx)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if a.TimedOut {
		if g.state.Problem = s.alone(ctx); g.state.Problem != nil {
			return nil
		}
	}
	stores := s.StoreSeen().Requests.Pieces > stored.Requests.Pieces
	if problem := s.refused(ctx, f); problem != nil {
		g.state.Problem = problem
		return nil
	}
	seen := s.readings(ctx, in, "")
	if g.prompt = in.shows(seen); !g.prompt {
		seen = s.awaitEffects(ctx, in, s.target.cfg.Timeouts.Recovery)
	}
	g.lag = time.Duration(s.target.clock.now()-a.Link.FirstByteAt) * time.Microsecond // since the answer began
	if problem := s.unseen(ctx, in, seen); problem != nil {
		g.state.Problem = problem
		return nil
	}
	settled, err := s.measure(ctx, in, g)
	if err != nil {
		return err
	}
	if problem := s.several(settled); problem != nil {
		g.state.Problem = problem
		return nil
	}
	offers := newOffers(s.target.cfg, s.run.op, in.state.operation.request.isJSON)
	s.learnStatus(ctx, in, offers)
	learnAnswer(a, offers)
	if err := s.learnChange(ctx, in, g, offers); err != nil {
		return err
	}
	s.learnGate(in, g, offers)
	s.learnStore(stores, offers)
	if err := s.learnRemoteStore(ctx, a, offers); err != nil {
		return err
	}
	s.target.learnThrough(ctx, offers)
	g.state.Offers, g.state.Missing = offers.settle()
	return nil
}

// refused says what is wrong where the unfaulted write was not answered with a result.
func (s *Stage) refused(ctx context.Context, f *Flight) error {
	a, t := f.attempt, s.target
	what := fmt.Sprintf("%s %s", a.Request.Method, a.Request.URL)
	switch {
	case a.Outcome == history.Unsent:
		return &Problem{TargetDown, fmt.Sprintf("%s could not be sent: %s", what, a.Reason)}
	case a.Outcome == history.Lost:
		hint := ""
		if a.TimedOut {
			hint = "; if it answers others, does it serve one connection at a time? Probes keep one open"
		}
		return &Problem{TargetDown, fmt.Sprintf("%s was not answered: %s (timeouts.request is %v)%s", what, a.Reason, t.cfg.Timeouts.Request, hint)}
	}
	class := f.class()
	if class.Success() {
		return nil
	}
	body := []byte{}
	if f.answer != nil {
		body = f.answer.Body
	}
	detail := fmt.Sprintf("expected a 2xx answer to %s with a new key, found %d: %s", what, a.Answer.Status, t.says(body))
	return &Problem{WritesRefused, detail + s.refusedHint(ctx, f)}
}

// unseen says which probe does not see the effect of the unfaulted write.
func (s *Stage) unseen(ctx context.Context, in *Intent, readings []history.Observation) error {
	for _, o := range readings {
		switch {
		case in.state.operation.quiet(o.Probe):
		case o.Error != "":
			return &Problem{EffectsUnseen, fmt.Sprintf("probe %s of operation %s cannot be read: %s%s", o.Probe, s.run.op.Name, o.Error, s.unseenHint(ctx, in, o))}
		case o.Count == 0:
			return &Problem{EffectsUnseen, fmt.Sprintf("probe %s of operation %s does not show the effect of a write that was answered with a success, within %v%s", o.Probe, s.run.op.Name, s.target.cfg.Timeouts.Recovery, s.unseenHint(ctx, in, o))}
		}
	}
	return nil
}

// several says which probe shows more than one resource for the unfaulted write: what makes a second one of a retry cannot
// be told by it.
func (s *Stage) several(readings []history.Observation) error {
	for _, o := range readings {
		if o.Kind == history.Resource && o.Error == "" && o.Count > 1 {
			return &Problem{EffectsUnseen, fmt.Sprintf("probe %s of operation %s shows %d resources for a write that was sent once, expected 1; does it show what others made, or a list that never settles?",
				o.Probe, s.run.op.Name, o.Count)}
		}
	}
	return nil
}

// measure finds by how much a write moves each value, once nothing moves any more, and records all readings.
func (s *Stage) measure(ctx context.Context, in *Intent, g *steadyFacts) ([]history.Observation, error) {
	Pause(ctx, min(g.lag, s.target.cfg.Timeouts.Settle))
	g.units = s.changes(ctx, in)
	if s.target.gate != nil {
		g.books = booked(s.target.calls(in))
	}
	settled := s.readingsIn(ctx, in, "after", g)
	s.record(settled)
	return settled, ctx.Err()
}

// learnStatus sees whether the status resource can be read after a success.
func (s *Stage) learnStatus(ctx context.Context, in *Intent, o *offers) {
	if in.state.operation.status == nil {
		return
	}
	st := s.Status(ctx, in, "after")
	switch {
	case st.Error != "":
		o.lacks(catalogue.NeedStatus, "the status resource could not be read after a success: "+st.Error)
	case st.State == "":
		o.lacks(catalogue.NeedStatus, fmt.Sprintf("the status resource answers %d after a success", st.HTTP))
	}
}

// learnAnswer sees what kind of answer the operation gives.
func learnAnswer(a *history.Attempt, o *offers) {
	status, length := a.Answer.Status, a.Answer.Body.Length
	o.offer(catalogue.NeedNoBody, status == http.StatusAccepted || status == http.StatusNoContent || length == 0)
	o.offer(catalogue.NeedLargeBody, length > largeBody)
}

// learnGate sees whether the operation calls downstream.
func (s *Stage) learnGate(in *Intent, g *steadyFacts, o *offers) {
	t := s.target
	if t.gate == nil {
		return
	}
	if calls := t.calls(in); len(calls) > 0 {
		g.books = max(1, g.books, booked(calls))
		return
	}
	if n := len(t.gate.Calls(nil)); n > 0 {
		o.lacks(catalogue.NeedGate, fmt.Sprintf("%s%sno call that came to %s names what it is for: neither a unique field, nor the parent, nor the key is found in any", t.cfg.Setting("/target/downstream"), catalogue.Unused, t.gate.URL()))
		return
	}
	o.lacks(catalogue.NeedGate, fmt.Sprintf("%s%snothing came to %s while the write was done; let the target call it instead of what it calls, such as by {downstream} in its command or environment",
		t.cfg.Setting("/target/downstream"), catalogue.Unused, t.gate.URL()))
}

// learnChange tries changed payloads, each under a key of its own, until one is accepted and its effect is seen.
func (s *Stage) learnChange(ctx context.Context, first *Intent, g *steadyFacts, o *offers) error {
	if keyInPath(s.run.op) {
		o.lacks(catalogue.NeedChange, catalogue.Reason(catalogue.NeedKeyHeader, s.run.op.Name))
		return nil
	}
	candidates, err := s.target.changes(first.state.operation, first.state.request)
	if err != nil {
		return &ConfigurationError{What: "operations." + s.run.op.Name, Err: err}
	}
	var tried []string
	for _, c := range candidates {
		in, err := s.Intent(ctx)
		if err != nil {
			return err
		}
		exact, err := c.apply(s.target, in.state.operation, in.state.request)
		if err != nil {
			continue
		}
		credential(&exact, s.target.cfg.Target.Tenants[in.Tenant], Own)
		s.target.setKey(&exact, in, Send{})
		f := s.patiently(ctx, in, Send{Label: "control", Exact: &exact, Variant: c.name()})
		a := f.Wait(ctx)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if a.TimedOut && len(tried) == 0 {
			if g.state.Problem = s.alone(ctx); g.state.Problem != nil {
				return nil
			}
		}
		if class := f.class(); !class.Success() {
			tried = append(tried, fmt.Sprintf("%s: %s", c.name(), outcome(a)))
			continue
		}
		seen := s.awaitEffects(ctx, in, s.grace(g))
		s.record(relabel(seen, "after"))
		if problem := s.unseen(ctx, in, seen); problem != nil {
			tried = append(tried, fmt.Sprintf("%s: accepted, but its effect is not seen", c.name()))
			continue
		}
		g.change = c
		return nil
	}
	switch {
	case len(candidates) == 0:
		o.lacks(catalogue.NeedChange, fmt.Sprintf("nothing in the request may vary%soperations.%s.vary", catalogue.Add, s.run.op.Name))
	default:
		o.lacks(catalogue.NeedChange, fmt.Sprintf("no changed payload was accepted under a key of its own (%s)%soperations.%s.vary",
			strings.Join(tried, "; "), catalogue.Add, s.run.op.Name))
	}
	return nil
}

func outcome(a *history.Attempt) string {
	if a.Answer != nil && a.Outcome == history.Answered {
		return fmt.Sprint(a.Answer.Status)
	}
	return a.Outcome
}

func relabel(list []history.Observation, moment string) []history.Observation {
	out := slices.Clone(list)
	for i := range out {
		out[i].Moment = moment
	}
	return out
}
