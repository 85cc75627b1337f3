package target

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/oncespec/oncespec/faults/link"
	"github.com/oncespec/oncespec/mockapi/contract"
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/rewrite"
	"github.com/oncespec/oncespec/scenarios/target/template"
)

// Credentials an attempt is sent with.
type Credentials string

// The credentials.
const (
	Own     Credentials = ""
	Renewed Credentials = "renewed"
	NoCreds Credentials = "none"
)

// Send describes one attempt. The zero value is the intent's own request, unfaulted.
type Send struct {
	Label       string // its part in the procedure; default "first" for an intent's first attempt, else "retry"
	Tenant      string // default: the intent's
	Credentials Credentials
	KeyFields   []string // raw values of the key field, one field each; nil: the intent's key as the contract encodes it
	NoKey       bool
	Change      bool             // the operation's standard changed payload (accepted in the steady state under a fresh key)
	Sample      string           // "invalid", "refused", "crash": merged into the body
	Exact       *rewrite.Request // exactly this request; everything above but Label and Tenant is then only described, by Variant
	Variant     string           // names Exact, or is filled in for Change and Sample
	Fault       link.Plan        // acts on this attempt's connection
	GiveUp      <-chan struct{}  // the client closes its connection when this is closed
	HangUp      bool             // the client closes right after the last request byte
	Timeout     time.Duration    // default: timeouts.request
	Replica     int              // the instance it goes to: 0 is target.url, the others target.replicas (see Stage.Replicas)
	Direct      bool             // past the fault links, on a connection that is kept alive: no fault, and what passed is told by this side alone
	Unrecorded  bool             // its request is left out of the history: searches keep few of many, and recording costs more than sending
	Call        int              // of a storm's schedule, from 1

	aside   bool // it is not the intent's write: no effect follows from it
	patient bool // where it is only asked to slow down it counts for nothing, and is sent again
}

const (
	// Pauses between the retries of Resolve: short at first, since most targets settle in milliseconds.
	firstPause = 5 * time.Millisecond
	lastPause  = 250 * time.Millisecond
	// enoughFailures in a row are an answer: a good client does not go on for ever.
	enoughFailures = 5
	// longestRetryAfter is how much of a Retry-After is honoured.
	longestRetryAfter = 250 * time.Millisecond
)

// Do sends one attempt and waits for its outcome. It never sends twice, but for a target that answers with nothing than that
// it wants it slower: then it waits and sends another attempt, and the first one's label is "slowed".
func (s *Stage) Do(ctx context.Context, in *Intent, send Send) *history.Attempt {
	return s.patiently(ctx, in, send).Wait(ctx)
}

// patiently is Go, and waits where the target asks for it, for as long as it may take to recover.
func (s *Stage) patiently(ctx context.Context, in *Intent, send Send) *Flight {
	until := time.Now().Add(s.target.cfg.Timeouts.Recovery)
	for range mostSlowed {
		send.patient = time.Now().Before(until)
		f := s.here(ctx, in, send)
		if f.attempt.Label != history.Slowed || ctx.Err() != nil {
			return f
		}
		send.Label = f.send.Label
	}
	send.patient = false
	return s.here(ctx, in, send)
}

// Compose builds the exact request that Send would put on the wire.
func (s *Stage) Compose(in *Intent, send Send) (rewrite.Request, error) {
	if send.Exact != nil {
		return send.Exact.Clone(), nil
	}
	r, err := s.payload(in, send)
	if err != nil {
		return rewrite.Request{}, err
	}
	tenant := in.Tenant
	if send.Tenant != "" {
		tenant = send.Tenant
	}
	credential(&r, s.target.cfg.Target.Tenants[tenant], send.Credentials)
	s.target.setKey(&r, in, send)
	return r, nil
}

// payload is the request before credentials and key.
func (s *Stage) payload(in *Intent, send Send) (rewrite.Request, error) {
	st := in.state
	r := st.request.Clone()
	if send.Change {
		change := s.target.steadyOf(in.Operation).change
		if change == nil {
			return r, fmt.Errorf("operation %s: no changed payload was accepted in the steady state", in.Operation.Name)
		}
		var err error
		if r, err = change.apply(s.target, st.operation, r); err != nil {
			return r, fmt.Errorf("operation %s: changed payload: %w", in.Operation.Name, err)
		}
	}
	if send.Sample == "" {
		return r, nil
	}
	sample := st.operation.samples[send.Sample]
	if sample == nil {
		return r, fmt.Errorf("operation %s: the configuration has no samples.%s", in.Operation.Name, send.Sample)
	}
	patch, err := sample.Expand(st.vars)
	if err == nil {
		r.Body, err = template.Merge(r.Body, patch)
	}
	if err != nil {
		return r, fmt.Errorf("operation %s: samples.%s: %w", in.Operation.Name, send.Sample, err)
	}
	return r, nil
}

// setKey adds the key field, last and in the order given. Where the path carries the key, or the configuration writes the
// field itself, there is none to add.
func (t *Target) setKey(r *rewrite.Request, in *Intent, send Send) {
	name := t.cfg.Contract.Name
	if send.NoKey || send.KeyFields != nil {
		kept := r.Header[:0]
		for _, f := range r.Header {
			if !strings.EqualFold(f.Name, name) {
				kept = append(kept, f)
			}
		}
		r.Header = kept
		for _, value := range send.KeyFields {
			r.Header = append(r.Header, rewrite.Field{Name: name, Value: value})
		}
		return
	}
	if _, given := r.Get(name); given || name == "" || keyInPath(in.Operation) {
		return
	}
	r.Header = append(r.Header, rewrite.Field{Name: name, Value: t.cfg.Contract.Encode(in.Key)})
}

// variant names what an attempt carries instead of the intent's own payload.
func (s *Stage) variant(in *Intent, send Send) string {
	var parts []string
	if send.Change {
		if change := s.target.steadyOf(in.Operation).change; change != nil {
			parts = append(parts, change.name())
		}
	}
	if send.Sample != "" {
		parts = append(parts, "samples."+send.Sample)
	}
	return strings.Join(parts, ", ")
}

// describe says in words what is planned for an attempt's connection.
func describe(send Send) string {
	var parts []string
	say := func(on bool, format string, args ...any) {
		if on {
			parts = append(parts, fmt.Sprintf(format, args...))
		}
	}
	p := send.Fault
	say(p.CutRequest > 0, "request cut after %d bytes", p.CutRequest)
	say(p.DribbleRequest.Slice > 0, "request dribbled, %d bytes every %v", p.DribbleRequest.Slice, p.DribbleRequest.Pause)
	say(p.HoldResponse, "answer held")
	say(p.DropResponse, "answer dropped")
	say(p.CutResponse > 0, "answer cut after %d bytes", p.CutResponse)
	say(p.ResetResponse, "connection reset instead of an answer")
	say(len(p.ReplaceResponse) > 0, "answer replaced by an intermediary's")
	say(send.HangUp, "the client hangs up after the last request byte")
	say(send.GiveUp != nil, "the client gives up")
	return strings.Join(parts, ", ")
}

// Resolve retries the intent's own request as a good client would (label "retry") until the answer is a known result:
// anything but lost, unknown, in flight or a failure that the contract lets be retried; it honours Retry-After up to a quarter
// second, waits with growing pauses, and stops after timeouts.recovery. It returns the last attempt.
func (s *Stage) Resolve(ctx context.Context, in *Intent, send Send) *history.Attempt {
	if send.Label == "" {
		send.Label = "retry"
	}
	limited, cancel := context.WithTimeout(ctx, s.target.cfg.Timeouts.Recovery)
	defer cancel()
	failures := 0
	for pause := firstPause; ; pause = min(2*pause, lastPause) {
		f := s.Go(ctx, in, send)
		a := f.Wait(ctx)
		if failures++; f.class() != contract.Failed {
			failures = 0
		}
		if !s.Retryable(a) || failures == enoughFailures || !Pause(limited, max(pause, retryAfter(a))) {
			return a
		}
	}
}

// Retryable tells whether a good client would send again after an attempt.
func (s *Stage) Retryable(a *history.Attempt) bool {
	if s.target.throttled(a) {
		return true
	}
	switch s.Class(a) {
	case contract.Unknown, contract.InFlightAnswer:
		return true
	case contract.Failed:
		// A stored failure is final: the same answer would come again for ever.
		return s.Contract().Stored.ServerErrors != "yes" && s.Contract().FailedRetry != contract.ActionReplay
	}
	return false
}

// RetryAfter is how long an answer asks to wait, as far as it is honoured.
func (s *Stage) RetryAfter(a *history.Attempt) time.Duration { return retryAfter(a) }

// retryAfter is how long an answer asks to wait, bounded.
func retryAfter(a *history.Attempt) time.Duration {
	if a.Answer == nil || len(a.Answer.Header["Retry-After"]) == 0 {
		return 0
	}
	seconds, err := strconv.Atoi(strings.TrimSpace(a.Answer.Header["Retry-After"][0]))
	if err != nil || seconds < 0 {
		return 0
	}
	return min(time.Duration(seconds)*time.Second, longestRetryAfter)
}

// Pause waits; it returns false when the context ends first.
func Pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// Alter sends the operation's alter request for the resource that the answer created, as an attempt with the label "alter".
func (s *Stage) Alter(ctx context.Context, in *Intent, first *history.Attempt) *history.Attempt {
	operation := in.state.operation
	s.target.actors.alter(in.state.family)
	var exact rewrite.Request
	if operation.alter != nil {
		var err error
		if exact, err = operation.alter.fill(in.filled()); err != nil {
			s.Note("the alter request could not be made: %v", err)
			exact = rewrite.Request{}
		}
		credential(&exact, s.target.cfg.Target.Tenants[in.Tenant], Own)
	}
	return s.Do(ctx, in, Send{Label: "alter", Exact: &exact, Variant: "alter", aside: true})
}

// Get reads a path of the target with extra header fields, as an attempt of the intent with the label. The path is filled in
// like those of the configuration.
func (s *Stage) Get(ctx context.Context, in *Intent, label, path string, header [][2]string) *history.Attempt {
	exact := rewrite.Request{Method: "GET", Path: path}
	if filled, err := template.ParseURL(path); err == nil {
		if expanded, err := filled.Expand(in.filled()); err == nil {
			exact.Path = expanded
		}
	}
	exact.Path, exact.RawQuery, _ = strings.Cut(exact.Path, "?")
	exact.Header = []rewrite.Field{{Name: "User-Agent", Value: agent}}
	credential(&exact, s.target.cfg.Target.Tenants[in.Tenant], Own)
	for _, h := range header {
		exact.Header = append(exact.Header, rewrite.Field{Name: h[0], Value: h[1]})
	}
	return s.Do(ctx, in, Send{Label: label, Exact: &exact, Variant: label, aside: true})
}
