package target_test

import (
	"errors"
	"sync"
	"testing"

	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/target"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

// TestHistories: a history a trial, named in order, without those in which nothing happened.
func TestHistories(t *testing.T) {
	t.Parallel()
	r := start(t, &api{}, plain)
	s := r.stage("lost/response")
	one := s.Trial("one")
	one.Note("a")
	s.Trial("empty")
	two := s.Trial("two")
	two.Note("b")
	two.About(history.Rewrite{ID: "leaf/enum", At: "/priority"})
	inner := two.Trial("inner")
	inner.Note("c")
	again := r.Stage(target.Scenario{ID: "lost/response"}, r.op, target.StageOptions{Try: 2})
	again.Note("d")
	var ids []string
	for _, h := range append(s.Histories(), again.Histories()...) {
		ids = append(ids, h.ID+" "+h.Trial)
		if h.Schema != history.Schema || h.Scenario != "lost/response" || h.Operations[0] != "create" || h.Seed != 1 || h.Capabilities == nil {
			t.Errorf("header: %+v", h)
		}
	}
	want := []string{"lost-response.create one", "lost-response.create.2 two", "lost-response.create.3 inner", "lost-response.create.4 "}
	if len(ids) != 4 || ids[0] != want[0] || ids[1] != want[1] || ids[2] != want[2] || ids[3] != want[3] {
		t.Errorf("histories: %q", ids)
	}
	if hs := again.Histories(); hs[0].Tries != 2 {
		t.Errorf("tries: %d", hs[0].Tries)
	}
	// A trial has its own and those that were opened from it.
	if hs := two.Histories(); len(hs) != 2 || hs[0].Rewrite == nil || hs[1].Trial != "inner" {
		t.Errorf("trial: %+v", hs)
	}
}

// TestAbort: the trial that could not go on says so, also where nothing had happened.
func TestAbort(t *testing.T) {
	t.Parallel()
	r := start(t, &api{}, plain)
	s := r.stage("lost/response")
	s.Trial("one").Note("a")
	s.Trial("two")
	s.Abort(errors.New("no more"), verdict.Environment)
	hs := s.Histories()
	if len(hs) != 2 || hs[0].Aborted != "" || hs[1].Aborted != "no more" || hs[1].Blame != "environment" {
		t.Errorf("histories: %+v", hs)
	}
}

// TestStageFacts: what a procedure may ask.
func TestStageFacts(t *testing.T) {
	t.Parallel()
	r := start(t, &api{}, plain+"  other:\n    request: {method: POST, path: /tickets, body: {title: other}}\n  inpath:\n    request: {method: PUT, path: \"/x/{key}\"}\n",
		"timeouts: {request: 2s, settle: 30ms, recovery: 2s}\n", "")
	s := r.stage("key/scope")
	if s.Second() == nil || s.Second().Name != "other" || s.Operation() != r.op || s.Contract().Profile != "ietf-07" {
		t.Errorf("second: %+v", s.Second())
	}
	if got := s.Tenants(); len(got) != 2 || got[0] != "acme" {
		t.Errorf("tenants: %v", got)
	}
	in := must(s.Intent(t.Context(), target.On(s.Second()), target.As("globex")))
	if in.Operation.Name != "other" || in.Tenant != "globex" {
		t.Errorf("intent: %+v", in)
	}
	s.Do(t.Context(), in, target.Send{})
	if h := s.Histories()[0]; len(h.Operations) != 2 || h.Intents[0].Operation != "other" {
		t.Errorf("operations: %v", h.Operations)
	}
	// The same seed draws the same, another trial draws something else, several goroutines may draw.
	a, b, c := r.stage("x/y"), r.stage("x/y"), r.stage("x/y").Trial("z")
	first, second, third := a.Rand().Uint64(), b.Rand().Uint64(), c.Rand().Uint64()
	if first != second || first == third {
		t.Errorf("drawn: %d, %d, %d", first, second, third)
	}
	var drawing sync.WaitGroup
	for range 4 {
		drawing.Go(func() { a.Rand().IntN(10) })
	}
	drawing.Wait()
	inPath := must(s.Intent(t.Context(), target.On(r.cfg.Operations["inpath"])))
	request, err := s.Compose(inPath, target.Send{})
	if _, given := request.Get("Idempotency-Key"); err != nil || given || request.Path != "/x/"+inPath.Key {
		t.Errorf("key in the path: %+v, %v", request, err)
	}
}

// TestAlterAndGet: requests beside the intent's own are attempts, and no effect follows from them.
func TestAlterAndGet(t *testing.T) {
	t.Parallel()
	r := start(t, &api{}, plain, "    samples:", "    alter: {method: POST, path: \"/broken/{answer:/id}?title={body:/title}\"}\n    samples:")
	r.steady(t)
	s := r.stage("replay/after-change")
	in := must(s.Intent(t.Context()))
	first := s.Do(t.Context(), in, target.Send{})
	altered := s.Alter(t.Context(), in, first)
	if altered.Label != "alter" || altered.Request.URL != r.cfg.Target.URL+"/broken/t3?title=t-"+in.Markers[0] && altered.Answer.Status != 500 {
		t.Errorf("alter: %+v", altered)
	}
	read := s.Get(t.Context(), in, "read", "/operations/{key}", [][2]string{{"Idempotency-Key", "x"}})
	if read.Label != "read" || read.Request.Method != "GET" || read.Answer.Status != 200 || read.Request.Header[len(read.Request.Header)-1] != [2]string{"Idempotency-Key", "x"} {
		t.Errorf("read: %+v", read)
	}
	// A value may have been moved by the alteration.
	for _, o := range s.Observe(t.Context(), in, "after") {
		if o.Kind == history.Value {
			t.Errorf("observation: %+v", o)
		}
	}
	if again := s.Do(t.Context(), in, target.Send{}); again.Label != "retry" {
		t.Errorf("label: %s", again.Label)
	}
}
