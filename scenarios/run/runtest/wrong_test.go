package runtest_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/oncespec/oncespec/scenarios/run/runtest"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

// seen counts the requests of each key.
type seen struct {
	mu   sync.Mutex
	keys map[string]int
}

func (s *seen) again(r *http.Request) (nth int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.keys == nil {
		s.keys = map[string]int{}
	}
	key := r.Header.Get("Authorization") + r.Header.Get("Idempotency-Key")
	s.keys[key]++
	return s.keys[key]
}

func title(body []byte) string {
	var wanted struct{ Title string }
	_ = json.Unmarshal(body, &wanted) // an empty title will do
	return wanted.Title
}

// TestWrong: defects that the variants of the built-in mock do not have, each told by the requirement it breaks.
func TestWrong(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		api   func() *runtest.API
		pack  string
		fails []string
	}{
		"a retry is done again, long after it was answered": {pack: "lost", fails: []string{"lost/response", "lost/reset", "lost/partial-response", "lost/gateway-error"},
			api: func() *runtest.API {
				var s seen
				return &runtest.API{Hook: func(a *runtest.API, _ http.ResponseWriter, r *http.Request, body []byte) bool {
					if s.again(r) == 2 {
						time.AfterFunc(30*time.Millisecond, func() { a.Make("late", title(body)) })
					}
					return false
				}}
			}},
		"the loser of a race gets no answer": {pack: "race", fails: []string{"race/answers"},
			api: func() *runtest.API {
				var s seen
				return &runtest.API{Hook: func(_ *runtest.API, _ http.ResponseWriter, r *http.Request, _ []byte) bool {
					if s.again(r) == 2 {
						panic(http.ErrAbortHandler)
					}
					return false
				}}
			}},
		"the loser of a race is told of another thing": {pack: "race", fails: []string{"race/one-effect"},
			api: func() *runtest.API {
				var s seen
				return &runtest.API{Hook: func(_ *runtest.API, w http.ResponseWriter, r *http.Request, body []byte) bool {
					if s.again(r) != 2 || title(body) == "" {
						return false
					}
					w.Header().Set("Content-Type", "application/json")
					w.WriteHeader(201)
					fmt.Fprintf(w, `{"id":"thing-that-never-was","title":%q}`, title(body))
					return true
				}}
			}},
		"work is dropped when the client hangs up, and called done": {pack: "lost", fails: []string{"lost/client-gone"},
			api: func() *runtest.API {
				var mu sync.Mutex
				dropped := map[string]bool{}
				return &runtest.API{Hook: func(_ *runtest.API, w http.ResponseWriter, r *http.Request, body []byte) bool {
					key := r.Header.Get("Authorization") + r.Header.Get("Idempotency-Key")
					select {
					case <-r.Context().Done():
					case <-time.After(10 * time.Millisecond):
					}
					mu.Lock()
					defer mu.Unlock()
					dropped[key] = dropped[key] || r.Context().Err() != nil && title(body) != ""
					if dropped[key] {
						w.WriteHeader(201)
					}
					return dropped[key]
				}}
			}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			vs := runtest.Verdicts(t, c.api(), "profile: ietf-07", c.pack)
			for _, id := range c.fails {
				if v := vs[id]; v.Verdict != verdict.Fail {
					t.Errorf("%s: expected a fail, found %s: %s", id, v.Verdict, v.Detail)
				}
			}
		})
	}
}

// TestMoot: where a retry makes a second effect, nothing is tried that builds on retries.
func TestMoot(t *testing.T) {
	t.Parallel()
	var s seen
	api := &runtest.API{Hook: func(a *runtest.API, w http.ResponseWriter, r *http.Request, body []byte) bool {
		if s.again(r) > 1 && title(body) != "" {
			a.Make("again", title(body))
		}
		return false
	}}
	vs := runtest.Verdicts(t, api, "profile: ietf-07", "replay", "lost")
	if v := vs["replay/one-effect#resource"]; v.Verdict != verdict.Fail {
		t.Errorf("replay/one-effect#resource: expected a fail, found %s: %s", v.Verdict, v.Detail)
	}
	for name, v := range vs {
		if strings.HasPrefix(name, "lost/") && (v.Verdict != verdict.NotAssessed || v.Detail != "premise failed: replay/one-effect" || len(v.Histories) > 0) {
			t.Errorf("%s: expected it not to be tried for its premise, found %s: %s, by %v", name, v.Verdict, v.Detail, v.Histories)
		}
	}
}
