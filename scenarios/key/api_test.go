package key_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/oncespec/oncespec/scenarios/run/runtest"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

func say(w http.ResponseWriter, status int, body string) bool {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	fmt.Fprint(w, body)
	return true
}

func title(body []byte) string {
	var wanted struct{ Title string }
	_ = json.Unmarshal(body, &wanted) // an empty title will do
	return wanted.Title
}

// memory remembers who said something first.
type memory struct {
	mu    sync.Mutex
	first map[string]string
}

func (m *memory) of(what, who string) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.first == nil {
		m.first = map[string]string{}
	}
	if m.first[what] == "" {
		m.first[what] = who
	}
	return m.first[what]
}

// naturalKeys makes one thing a title, whatever the key; a second request for it is answered with the status.
func naturalKeys(status int) *runtest.API {
	var titles memory
	return &runtest.API{Hook: func(_ *runtest.API, w http.ResponseWriter, r *http.Request, body []byte) bool {
		who, key := r.Header.Get("Authorization"), r.Header.Get("Idempotency-Key")
		if key == "" || title(body) == "" {
			return false
		}
		first := titles.of(who+title(body), key)
		return first != key && say(w, status, fmt.Sprintf(`{"id":"thing-%s","title":%q}`, strings.Trim(first, `"`), title(body)))
	}}
}

// oneSpace has one space of keys for all principals, and refuses what belongs to another.
func oneSpace() *runtest.API {
	var keys memory
	return &runtest.API{Hook: func(_ *runtest.API, w http.ResponseWriter, r *http.Request, _ []byte) bool {
		who, key := r.Header.Get("Authorization"), r.Header.Get("Idempotency-Key")
		return key != "" && keys.of(key, who) != who && say(w, 409, `{"error":"the key is taken"}`)
	}}
}

// oneForAll makes one thing of all requests that are at work under a key, whoever sends them.
func oneForAll() *runtest.API {
	var running singleflight.Group
	var things atomic.Int64
	return &runtest.API{Hook: func(a *runtest.API, w http.ResponseWriter, r *http.Request, body []byte) bool {
		key := r.Header.Get("Idempotency-Key")
		if key == "" || title(body) == "" {
			return false
		}
		answer, err, _ := running.Do(key, func() (any, error) {
			id := fmt.Sprint("thing-of-all-", things.Add(1))
			err := a.Call(r.Context(), id, title(body))
			a.Make(id, title(body))
			return fmt.Sprintf(`{"id":%q,"title":%q}`, id, title(body)), err
		})
		if err != nil {
			return say(w, 502, `{}`)
		}
		return say(w, 201, answer.(string))
	}}
}

// keyless executes writes without a key.
func keyless() *runtest.API {
	return &runtest.API{Hook: func(a *runtest.API, w http.ResponseWriter, r *http.Request, body []byte) bool {
		if strings.Trim(r.Header.Get("Idempotency-Key"), `"`) != "" || title(body) == "" {
			return false
		}
		if err := a.Call(r.Context(), "of-"+title(body), title(body)); err != nil {
			return say(w, 502, `{}`)
		}
		a.Make("keyless", title(body))
		return say(w, 201, `{"id":"keyless"}`)
	}}
}

// TestRightInAnotherWay: targets that keep their promises are not accused, and their case is not left open.
func TestRightInAnotherWay(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		api      *runtest.API
		contract string
	}{
		"as one would think":                  {&runtest.API{}, "profile: ietf-07"},
		"effects show late":                   {&runtest.API{Lag: 60 * time.Millisecond}, "profile: ietf-07"},
		"it answers before it works":          {&runtest.API{Async: true}, "profile: ietf-07, fidelity: resource"},
		"every duplicate is refused bare":     {&runtest.API{Bare: true}, "profile: ietf-07, fidelity: effect"},
		"duplicates wait":                     {&runtest.API{Waits: true}, "profile: ietf-07, scope: [account], in_flight: {action: wait}"},
		"a caller sees its own only":          {&runtest.API{Private: true}, "profile: ietf-07, scope: [account]"},
		"keys are opaque":                     {&runtest.API{}, "profile: ietf-07, key: {encoding: opaque}"},
		"a title is an identity, found again": {naturalKeys(200), "profile: ietf-07"},
		"a title is an identity, refused":     {naturalKeys(409), "profile: ietf-07"},
		"one space of keys, as declared":      {oneSpace(), "profile: ietf-07, scope: [global]"},
		"one space of keys, left open":        {oneSpace(), "profile: ietf-07"},
		"no key is no refusal, as declared":   {keyless(), "profile: ietf-07, missing: {action: execute}"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for requirement, says := range runtest.Accused(runtest.Verdicts(t, c.api, c.contract, "key")) {
				t.Errorf("%s %s", requirement, says)
			}
		})
	}
}

// TestWrong: defects that the variants of the built-in mock do not have.
func TestWrong(t *testing.T) {
	t.Parallel()
	var payloads memory
	for name, c := range map[string]struct {
		api      *runtest.API
		contract string
		fails    string
		want     verdict.Outcome
	}{
		"equal payloads are refused": {&runtest.API{Hook: func(_ *runtest.API, w http.ResponseWriter, r *http.Request, body []byte) bool {
			key := r.Header.Get("Idempotency-Key")
			return key != "" && payloads.of(r.Header.Get("Authorization")+string(body), key) != key && say(w, 409, `{"error":"you asked for this already"}`)
		}}, "profile: ietf-07", "key/distinct-keys", verdict.Fail},
		"one space of keys, though an account's own": {oneSpace(), "profile: ietf-07, scope: [account]", "key/other-principal", verdict.Fail},
		"one in flight for all principals":           {oneForAll(), "profile: ietf-07", "key/other-principal", verdict.Fail},
		"no key is no refusal":                       {keyless(), "profile: ietf-07", "key/required", verdict.Warn},
		"without a key it makes two": {&runtest.API{Hook: func(a *runtest.API, w http.ResponseWriter, r *http.Request, body []byte) bool {
			if r.Header.Get("Idempotency-Key") != "" {
				return false
			}
			a.Make("one", title(body))
			a.Make("two", title(body))
			return say(w, 201, `{"id":"one"}`)
		}}, "profile: ietf-07, missing: {action: execute}", "key/required", verdict.Warn},
		"a malformed key is refused after the work": {&runtest.API{Hook: func(a *runtest.API, w http.ResponseWriter, r *http.Request, body []byte) bool {
			if key := r.Header.Get("Idempotency-Key"); len(key) < 2 || strings.HasSuffix(key, `"`) {
				return false
			}
			a.Make("early", title(body))
			return say(w, 400, `{"error":"malformed key"}`)
		}}, "profile: ietf-07", "key/malformed#unbalanced", verdict.Warn},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			vs := runtest.Verdicts(t, c.api, c.contract, "key")
			if v := vs[c.fails]; v.Verdict != c.want {
				t.Errorf("%s: expected %s, found %s: %s", c.fails, c.want, v.Verdict, v.Detail)
			}
		})
	}
}
