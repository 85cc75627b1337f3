package replay_test

import (
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/oncespec/oncespec/scenarios/run/runtest"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

// uses counts the requests under each key.
type uses struct {
	mu    sync.Mutex
	since map[string]time.Time
	count map[string]int
}

func (u *uses) of(r *http.Request) (nth int, since time.Duration) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.count == nil {
		u.count, u.since = map[string]int{}, map[string]time.Time{}
	}
	key := r.Header.Get("Authorization") + r.Header.Get("Idempotency-Key")
	if u.count[key]++; u.count[key] == 1 {
		u.since[key] = time.Now()
	}
	return u.count[key], time.Since(u.since[key])
}

func say(w http.ResponseWriter, status int, body string) bool {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	fmt.Fprint(w, body)
	return true
}

// duplicates hooks in where a key is used again.
func duplicates(answer func(w http.ResponseWriter, nth int, since time.Duration) (done bool)) *runtest.API {
	var u uses
	return &runtest.API{Hook: func(_ *runtest.API, w http.ResponseWriter, r *http.Request, _ []byte) bool {
		nth, since := u.of(r)
		return nth > 1 && answer(w, nth, since)
	}}
}

// TestRightInAnotherWay: targets that keep their promises are not accused, and their case is not left open.
func TestRightInAnotherWay(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		api      *runtest.API
		contract string
	}{
		"as one would think":              {&runtest.API{}, "profile: ietf-07"},
		"effects show late":               {&runtest.API{Lag: 60 * time.Millisecond}, "profile: ietf-07"},
		"it answers before it works":      {&runtest.API{Async: true}, "profile: ietf-07, fidelity: resource"},
		"it calls downstream afterwards":  {&runtest.API{CallsEnd: true}, "profile: ietf-07"},
		"every duplicate is refused bare": {&runtest.API{Bare: true}, "profile: ietf-07, fidelity: effect"},
		"the record is completed after the answer": {duplicates(func(w http.ResponseWriter, _ int, since time.Duration) bool {
			return since < 100*time.Millisecond && say(w, 409, `{"error":"in progress"}`)
		}), "profile: ietf-07"},
		"every duplicate is told that it is there": {duplicates(func(w http.ResponseWriter, nth int, _ time.Duration) bool {
			return say(w, 409, `{"error":"exists"}`)
		}), "profile: ietf-07, fidelity: effect"},
		"each replay tells the time, as declared": {duplicates(func(w http.ResponseWriter, nth int, _ time.Duration) bool {
			return say(w, 201, fmt.Sprintf(`{"at":%d}`, time.Now().UnixNano()))
		}), `profile: ietf-07, volatile: [/at, /id, /title]`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for requirement, says := range runtest.Accused(runtest.Verdicts(t, c.api, c.contract, "replay")) {
				t.Errorf("%s %s", requirement, says)
			}
		})
	}
}

// TestWrong: defects that the variants of the built-in mock do not have.
func TestWrong(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		api      *runtest.API
		contract string
		fails    string
	}{
		"each retry is met with a 503": {duplicates(func(w http.ResponseWriter, _ int, _ time.Duration) bool {
			return say(w, 503, `{}`)
		}), "profile: ietf-07", "replay/answered"},
		"the retry breaks it": {duplicates(func(w http.ResponseWriter, nth int, _ time.Duration) bool {
			return nth == 2 && say(w, 500, `{}`)
		}), "profile: ietf-07, fidelity: effect", "replay/same-status"},
		"one retry in ten names another resource": {duplicates(func(w http.ResponseWriter, nth int, _ time.Duration) bool {
			return nth == 9 && say(w, 201, `{"id":"another"}`)
		}), "profile: ietf-07, fidelity: resource", "replay/many-times"},
		"the retry is only told that it is there": {duplicates(func(w http.ResponseWriter, _ int, _ time.Duration) bool {
			return say(w, 409, `{"error":"exists"}`)
		}), "profile: ietf-07, fidelity: resource, in_flight: {statuses: [425]}", "replay/same-body"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			vs := runtest.Verdicts(t, c.api, c.contract, "replay")
			if v := vs[c.fails]; v.Verdict != verdict.Fail {
				t.Errorf("%s: expected a fail, found %s: %s", c.fails, v.Verdict, v.Detail)
			}
		})
	}
}

// TestSlowedDown: whoever is asked to slow down has learnt nothing, and says so.
func TestSlowedDown(t *testing.T) {
	t.Parallel()
	api := duplicates(func(w http.ResponseWriter, nth int, _ time.Duration) bool { return nth > 4 && say(w, 429, `{}`) })
	api.Recovery = 50 * time.Millisecond // it is never answered otherwise: no use in being patient
	vs := runtest.Verdicts(t, api, "profile: ietf-07", "replay")
	if v := vs["replay/many-times"]; v.Verdict != verdict.Inconclusive || v.Blame != verdict.Environment {
		t.Errorf("expected an inconclusive verdict that blames the environment, found %s, %s: %s", v.Verdict, v.Blame, v.Detail)
	}
	if v := vs["replay/same-status"]; v.Verdict != verdict.Pass {
		t.Errorf("the first retries were answered, found %s: %s", v.Verdict, v.Detail)
	}
}
