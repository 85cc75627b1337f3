package target_test

import (
	"strings"
	"testing"
	"time"

	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/rewrite"
	"github.com/oncespec/oncespec/scenarios/target"
)

// TestObserveWaits: an effect that an answer promised gets the time that it took in the steady state, and more.
func TestObserveWaits(t *testing.T) {
	t.Parallel()
	a := &api{lag: 40 * time.Millisecond}
	r := start(t, a, plain)
	r.steady(t)
	s := r.stage("lost/response")
	in := must(s.Intent(t.Context()))
	s.Do(t.Context(), in, target.Send{})
	if c := counts(s.Observe(t.Context(), in, "after")); c[history.Resource] != 1 {
		t.Errorf("after a success: %v", c)
	}
	// Nothing promised it, so nobody waits: one look is enough.
	quiet := must(s.Intent(t.Context()))
	s.Do(t.Context(), quiet, target.Send{HangUp: true})
	before := a.looks.Load()
	s.Observe(t.Context(), quiet, "after")
	if looks := a.looks.Load() - before; looks != 1 {
		t.Errorf("after nothing: %d looks at the list", looks)
	}
}

// TestQuietOutlastsTheLag: what the last retry made is seen in the end, however late it shows.
func TestQuietOutlastsTheLag(t *testing.T) {
	t.Parallel()
	r := start(t, &api{lag: 400 * time.Millisecond, forget: true}, plain, "settle: 30ms", "settle: 20ms")
	r.steady(t)
	s := r.stage("replay/again")
	in := must(s.Intent(t.Context()))
	s.Do(t.Context(), in, target.Send{})
	s.Observe(t.Context(), in, "after")
	s.Do(t.Context(), in, target.Send{})
	h := s.Histories()[0]
	r.Quiet(t.Context())
	s.Final(t.Context())
	for _, o := range h.Observations(in.ID, "final") {
		if o.Kind == history.Resource && o.Count != 2 {
			t.Errorf("%s shows %d, want both", o.Probe, o.Count)
		}
	}
}

// TestObserveCounts: every probe counts the executions of one intent.
func TestObserveCounts(t *testing.T) {
	t.Parallel()
	r := start(t, &api{forget: true}, plain)
	r.steady(t)
	s := r.stage("replay/again")
	in := must(s.Intent(t.Context()))
	s.Do(t.Context(), in, target.Send{})
	s.Do(t.Context(), in, target.Send{})
	list := s.Observe(t.Context(), in, "after")
	if c := counts(list); c[history.Resource] != 2 || c[history.Value] != 2 {
		t.Errorf("executed twice: %v", c)
	}
	for _, o := range list {
		if o.Kind == history.Resource && len(o.IDs) != 2 || o.Kind == history.Value && o.Value == "" || o.Moment != "after" {
			t.Errorf("observation: %+v", o)
		}
	}
	// Another payload under the key moves the value by no whole number of executions.
	body := []byte(strings.Replace(`{"title":"MARK","priority":"high","amount":2}`, "MARK", in.Markers[0], 1))
	s.Do(t.Context(), in, target.Send{Exact: &rewrite.Request{Method: "POST", Path: "/tickets", Body: body}})
	for _, o := range s.Observe(t.Context(), in, "changed") {
		if o.Kind == history.Value && o.Odd != "8" || o.Kind == history.Resource && o.Count != 3 {
			t.Errorf("observation: %+v", o)
		}
	}
	// An intent of which only another payload was sent has moved it, by whatever.
	control := must(s.Intent(t.Context()))
	body = []byte(strings.Replace(`{"title":"MARK","priority":"high","amount":2}`, "MARK", control.Markers[0], 1))
	s.Do(t.Context(), control, target.Send{Exact: &rewrite.Request{Method: "POST", Path: "/tickets", Body: body}})
	if c := counts(s.Observe(t.Context(), control, "after")); c[history.Value] != 1 || c[history.Resource] != 1 {
		t.Errorf("control: %v", c)
	}
}

// TestObserveTwins: twins share their effects.
func TestObserveTwins(t *testing.T) {
	t.Parallel()
	r := start(t, &api{}, plain)
	r.steady(t)
	s := r.stage("key/identity")
	in := must(s.Intent(t.Context()))
	twin := must(s.Intent(t.Context(), target.TwinOf(in)))
	if twin.Key == in.Key || twin.Markers[0] != in.Markers[0] {
		t.Fatalf("twin: %+v of %+v", twin, in)
	}
	first, second := s.Do(t.Context(), in, target.Send{}), s.Do(t.Context(), twin, target.Send{})
	if first.Request.Body != second.Request.Body || second.Label != "first" {
		t.Errorf("payloads: %+v, %+v", first.Request.Body, second.Request.Body)
	}
	for _, i := range []*target.Intent{in, twin} {
		if c := counts(s.Observe(t.Context(), i, "after")); c[history.Resource] != 2 || c[history.Value] != 2 {
			t.Errorf("intent %s: %v", i.ID, c)
		}
	}
	if h := s.Histories()[0]; h.Intent(twin.ID).TwinOf != in.ID {
		t.Errorf("recorded: %+v", h.Intents)
	}
}

// TestTwinWithTheKeyInItsPayload: a twin has its own key there, or it would be a retry; another payload of either keeps it.
func TestTwinWithTheKeyInItsPayload(t *testing.T) {
	t.Parallel()
	r := start(t, &api{}, plain, `body: {title: "t"`, `body: {title: "t", ref: "of {key}"`, `vary: {/priority: {enum: [high, odd, low]}}`, "vary: {}")
	r.steady(t)
	s := r.stage("key/identity")
	in := must(s.Intent(t.Context()))
	twin := must(s.Intent(t.Context(), target.TwinOf(in)))
	for _, i := range []*target.Intent{in, twin} {
		for _, change := range []bool{false, true} {
			request, err := s.Compose(i, target.Send{Change: change})
			if err != nil {
				t.Fatal(err)
			}
			for _, want := range []string{`"ref":"of ` + i.Key + `"`, i.Markers[0]} {
				if !strings.Contains(string(request.Body), want) {
					t.Errorf("intent %s, changed %t: %s, want %s in it", i.ID, change, request.Body, want)
				}
			}
		}
	}
	if twin.Key == in.Key || twin.Markers[0] != in.Markers[0] {
		t.Errorf("twin: %+v of %+v", twin, in)
	}
}

// TestSharedProbe: a number that everybody moves speaks of an intent only while nobody else acts.
func TestSharedProbe(t *testing.T) {
	t.Parallel()
	r := start(t, &api{}, plain)
	r.steady(t)
	s := r.stage("race/distinct-keys")
	value := func(in *target.Intent) (count int, told bool) {
		for _, o := range s.Observe(t.Context(), in, "after") {
			if o.Kind == history.Value {
				return o.Count, true
			}
		}
		return 0, false
	}
	one := must(s.Intent(t.Context()))
	s.Do(t.Context(), one, target.Send{})
	if n, told := value(one); n != 1 || !told {
		t.Errorf("alone: %d, %v", n, told)
	}
	two := must(s.Intent(t.Context()))
	if _, told := value(one); !told {
		t.Error("another intent that has not acted yet disturbs")
	}
	s.Do(t.Context(), two, target.Send{})
	if _, told := value(one); told {
		t.Error("the value is told of an intent although another one moved it")
	}
	if n, told := value(two); n != 1 || !told {
		t.Errorf("the second, with a baseline of its own: %d, %v", n, told)
	}
	// Somebody whose outcome is not known may act at any time.
	s.Do(t.Context(), two, target.Send{HangUp: true})
	three := must(s.Intent(t.Context()))
	s.Do(t.Context(), three, target.Send{})
	if _, told := value(three); told {
		t.Error("the value is told of an intent although another one may still act")
	}
	if err := r.Revive(t.Context()); err != nil {
		t.Fatal(err)
	}
	s = r.stage("replay/again")
	four := must(s.Intent(t.Context()))
	s.Do(t.Context(), four, target.Send{})
	if n, told := value(four); n != 1 || !told {
		t.Errorf("after all settled: %d, %v", n, told)
	}
	// Its last reading is taken before the next one begins.
	must(s.Intent(t.Context()))
	if final := s.Histories()[0].Observations(four.ID, "final"); len(final) != 1 || final[0].Count != 1 {
		t.Errorf("final: %+v", final)
	}
}

// TestExclusive: without markers and parents an intent is told by what is new since its baseline.
func TestExclusive(t *testing.T) {
	t.Parallel()
	text := strings.Replace(plain, "    unique: [/title]\n", "", 1)
	r := start(t, &api{forget: true}, text)
	r.steady(t)
	s := r.stage("replay/again")
	in := must(s.Intent(t.Context()))
	s.Do(t.Context(), in, target.Send{})
	s.Do(t.Context(), in, target.Send{})
	list := s.Observe(t.Context(), in, "after")
	if c := counts(list); c[history.Resource] != 2 || c[history.Value] != 2 || len(in.Markers) != 0 {
		t.Errorf("observed: %+v", list)
	}
	if err := r.Revive(t.Context()); err != nil {
		t.Fatal(err)
	}
	h := s.Histories()[0]
	events := len(h.Events)
	if final := h.Observations(in.ID, "final"); len(final) != 2 || h.Intents[0].Isolation != "exclusive" {
		t.Errorf("final: %+v", final)
	}
	s.Final(t.Context())
	for _, e := range h.Events[events:] {
		if e.Observation != nil {
			t.Errorf("read again when others have acted: %+v", e.Observation)
		}
	}
}

// TestParent: a parent made for each intent tells it apart, and its answers are at hand.
func TestParent(t *testing.T) {
	t.Parallel()
	text := strings.NewReplacer("    unique: [/title]\n", "    setup: [{name: parent, method: POST, path: /parents}]\n",
		`title: "t"`, `title: "{setup.parent:/id}"`, "get: /tickets,", `get: "/tickets?parent={setup.parent:/id}",`).Replace(plain)
	r := start(t, &api{}, text)
	r.steady(t)
	s := r.stage("replay/again")
	in := must(s.Intent(t.Context()))
	if !strings.Contains(string(in.Parent["parent"]), "parent-123") {
		t.Errorf("parent: %s", in.Parent)
	}
	a := s.Do(t.Context(), in, target.Send{})
	if !strings.Contains(a.Request.Body.Text, `"title":"parent-123"`) {
		t.Errorf("request: %+v", a.Request)
	}
}

// TestMarkerOfTheParent: a unique field may be unique by what the setup put there.
func TestMarkerOfTheParent(t *testing.T) {
	t.Parallel()
	text := strings.NewReplacer("    unique: [/title]\n", "    setup: [{name: parent, method: POST, path: /parents}]\n    unique: [/title]\n",
		`title: "t"`, `title: "{setup.parent:/id}"`).Replace(plain)
	r := start(t, &api{}, text)
	r.steady(t)
	s := r.stage("replay/again")
	in := must(s.Intent(t.Context()))
	if len(in.Markers) != 1 || in.Markers[0] != "parent-123" {
		t.Errorf("markers: %q", in.Markers)
	}
}

// TestFinal: the last readings are taken of every intent of every trial.
func TestFinal(t *testing.T) {
	t.Parallel()
	r := start(t, &api{}, plain)
	r.steady(t)
	s := r.stage("lost/response")
	var intents []*target.Intent
	for _, name := range []string{"one", "two"} {
		trial := s.Trial(name)
		in := must(trial.Intent(t.Context()))
		trial.Do(t.Context(), in, target.Send{})
		intents = append(intents, in)
	}
	hs := s.Histories()
	r.Quiet(t.Context())
	s.Final(t.Context())
	for i, h := range hs {
		last := h.Observations(intents[i].ID, "final")
		resources := 0
		for _, o := range last {
			if o.Kind == history.Resource && o.Count == 1 {
				resources++
			}
		}
		if resources != 1 || len(h.Statuses("final")) != 1 || h.Statuses("final")[0].State != history.Succeeded {
			t.Errorf("history %s: %+v, %+v", h.ID, last, h.Statuses())
		}
	}
	if again := s.Histories(); again[0] != hs[0] || again[1] != hs[1] {
		t.Error("the histories are not the same any more")
	}
}
