package conflict_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/oncespec/oncespec/scenarios/run/runtest"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

const promises = "profile: ietf-07, errors: vendor, fingerprint: {mode: raw}"

// payloads remembers the first payload under each key.
type payloads struct {
	mu    sync.Mutex
	first map[string]string
	since map[string]time.Time
	uses  map[string]int
}

// changed tells whether another payload came first, and how long ago.
func (p *payloads) changed(r *http.Request, body []byte) (first string, since time.Duration, changed bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.first == nil {
		p.first, p.since, p.uses = map[string]string{}, map[string]time.Time{}, map[string]int{}
	}
	key := r.Header.Get("Authorization") + r.Header.Get("Idempotency-Key")
	p.uses[key]++
	if _, used := p.first[key]; !used {
		p.first[key], p.since[key] = string(body), time.Now()
	}
	return p.first[key], time.Since(p.since[key]), p.first[key] != string(body)
}

func (p *payloads) used(r *http.Request) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.uses[r.Header.Get("Authorization")+r.Header.Get("Idempotency-Key")]
}

// conflicts hooks in where a changed payload comes under a used key.
func conflicts(api *runtest.API, answer func(a *runtest.API, w http.ResponseWriter, first string, body []byte, since time.Duration) (done bool)) *runtest.API {
	var p payloads
	api.Hook = func(a *runtest.API, w http.ResponseWriter, r *http.Request, body []byte) bool {
		first, since, changed := p.changed(r, body)
		return changed && r.Header.Get("Idempotency-Key") != "" && answer(a, w, first, body, since)
	}
	return api
}

func say(w http.ResponseWriter, status int, body string) bool {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	fmt.Fprint(w, body)
	return true
}

// TestRightInAnotherWay: targets that keep their promises are not accused, and their case is not left open.
func TestRightInAnotherWay(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		api      *runtest.API
		contract string
	}{
		"as one would think":                       {&runtest.API{}, promises},
		"duplicates wait":                          {&runtest.API{Waits: true}, promises + ", in_flight: {action: wait}"},
		"effects show late":                        {&runtest.API{Lag: 60 * time.Millisecond}, promises},
		"it answers before it works":               {&runtest.API{Async: true}, promises + ", fidelity: resource"},
		"it calls downstream afterwards":           {&runtest.API{CallsEnd: true}, promises},
		"every duplicate is refused bare":          {&runtest.API{Bare: true}, promises + ", fidelity: effect"},
		"failures are kept, as declared":           {&runtest.API{Keeps: true}, promises + `, stored: {5xx: "yes"}`},
		"failures are kept, left open":             {&runtest.API{Keeps: true}, promises},
		"the key stays busy after a failure":       {&runtest.API{Lease: 300 * time.Millisecond}, promises},
		"another status, as declared":              {refusing(409), promises + ", mismatch: {statuses: [409]}"},
		"409 means both, as declared":              {refusing(409), promises + ", mismatch: {statuses: [409]}, in_flight: {statuses: [409]}"},
		"the record is completed after the answer": {late(100 * time.Millisecond), promises},
		"the changed payload waits, then it is refused": {conflicts(&runtest.API{}, func(_ *runtest.API, w http.ResponseWriter, _ string, _ []byte, since time.Duration) bool {
			time.Sleep(max(0, 250*time.Millisecond-since)) // of the API's own
			return false
		}), promises},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for requirement, says := range runtest.Accused(runtest.Verdicts(t, c.api, c.contract, "conflict")) {
				t.Errorf("%s %s", requirement, says)
			}
		})
	}
}

// late calls a key in progress for a while after it answered.
func late(busy time.Duration) *runtest.API {
	var p payloads
	return &runtest.API{Hook: func(_ *runtest.API, w http.ResponseWriter, r *http.Request, body []byte) bool {
		_, since, _ := p.changed(r, body)
		return p.used(r) > 1 && since < busy && say(w, 409, `{"error":"in progress"}`)
	}}
}

func refusing(status int) *runtest.API {
	return conflicts(&runtest.API{}, func(_ *runtest.API, w http.ResponseWriter, _ string, _ []byte, _ time.Duration) bool {
		return say(w, status, `{"error":"the key belongs to another request"}`)
	})
}

// TestWrong: defects that the variants of the built-in mock do not have.
func TestWrong(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		api   *runtest.API
		fails string
		want  verdict.Outcome
	}{
		"the changed payload is refused, and executed a little later": {conflicts(&runtest.API{}, func(a *runtest.API, _ http.ResponseWriter, _ string, body []byte, _ time.Duration) bool {
			var wanted struct{ Title string }
			_ = json.Unmarshal(body, &wanted) // an empty title will do
			time.AfterFunc(20*time.Millisecond, func() { a.Make("late", wanted.Title) })
			return false
		}), "conflict/no-effect", verdict.Fail},
		"the refusal says what was asked for at first": {conflicts(&runtest.API{}, func(_ *runtest.API, w http.ResponseWriter, first string, _ []byte, _ time.Duration) bool {
			return say(w, 422, fmt.Sprintf(`{"error":"conflict","first":%q}`, first))
		}), "conflict/no-disclosure", verdict.Fail},
		"the changed payload gets the answer of the first, whenever it comes": {conflicts(&runtest.API{}, func(_ *runtest.API, w http.ResponseWriter, _ string, _ []byte, _ time.Duration) bool {
			return say(w, 201, `{"id":"thing"}`)
		}), "conflict/in-flight", verdict.Fail},
		"it breaks on changed payloads": {refusing(500), "conflict/refused", verdict.Fail},
		"another status than declared":  {refusing(400), "conflict/refused", verdict.Warn},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			vs := runtest.Verdicts(t, c.api, promises, "conflict")
			if v := vs[c.fails]; v.Verdict != c.want {
				t.Errorf("%s: expected %s, found %s: %s", c.fails, c.want, v.Verdict, v.Detail)
			}
		})
	}
}
