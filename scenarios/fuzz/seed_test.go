package fuzz

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/oncespec/oncespec/mockapi"
	"github.com/oncespec/oncespec/scenarios/target/config"
)

// sent is what a target was sent: what came under one key, in order, with the key and the marker left out.
type sent struct {
	mu    sync.Mutex
	byKey map[string][]string
}

var marker = regexp.MustCompile(`("title":\s*")[^"]*`)

func (s *sent) note(r *http.Request, body []byte) {
	if packed, err := gzip.NewReader(bytes.NewReader(body)); err == nil {
		if plain, err := io.ReadAll(packed); err == nil {
			body = append([]byte("gzip "), plain...)
		}
	}
	body = bytes.ReplaceAll(body, []byte{0}, nil) // of UTF-16
	s.mu.Lock()
	defer s.mu.Unlock()
	key := strings.Trim(r.Header.Get("Idempotency-Key"), `"`)
	s.byKey[key] = append(s.byKey[key], fmt.Sprintf("%s %s %s", r.Method, r.URL, marker.ReplaceAll(body, []byte("$1…"))))
}

// list is what was sent, whatever the keys were.
func (s *sent) list() (out []string) {
	for _, requests := range s.byKey {
		out = append(out, strings.Join(requests, "\n"))
	}
	slices.Sort(out)
	return out
}

// listened searches a mutant, and returns all that it was sent.
func listened(t *testing.T, mutant string, seed uint64) (*Operation, []string) {
	t.Helper()
	api, err := mockapi.New(mockapi.Options{Mutant: mutant})
	if err != nil {
		t.Fatal(err)
	}
	all := &sent{byKey: map[string][]string{}}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if r.Method == http.MethodPost {
			all.note(r, body)
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		api.ServeHTTP(w, r)
	}))
	defer api.Close()
	defer server.Close()
	cfg, err := config.Parse("seed", []byte(ticketsYAML), nil)
	if err != nil {
		t.Fatal(err)
	}
	cfg.Target.URL = server.URL
	return search(t, Options{Config: cfg, Seed: seed, Cases: 300}).Operations[0], all.list()
}

func TestASeedGivesTheSameSearchAgain(t *testing.T) {
	t.Parallel()
	for _, mutant := range []string{"", "fingerprint-float64", "fingerprint-folds-case"} {
		t.Run("mutant "+mutant, func(t *testing.T) {
			t.Parallel()
			if testing.Short() && mutant != "fingerprint-float64" {
				t.Skip("one is enough for a short run")
			}
			one, sentOne := listened(t, mutant, 3)
			two, sentTwo := listened(t, mutant, 3)
			_, sentThree := listened(t, mutant, 4)
			if !slices.Equal(sentOne, sentTwo) {
				for i, s := range sentOne {
					if i >= len(sentTwo) || s != sentTwo[i] {
						t.Errorf("one seed sent two things, such as\n%s\nand\n%s", s, sentTwo[min(i, len(sentTwo)-1)])
						break
					}
				}
			}
			if slices.Equal(sentOne, sentThree) {
				t.Error("two seeds sent the same")
			}
			if a, b := said(one), said(two); a != b {
				t.Errorf("one seed found two things:\n%s\n%s", a, b)
			}
		})
	}
}

// said is what a report says of an operation, but for histories.
func said(o *Operation) string {
	var out strings.Builder
	fmt.Fprintln(&out, o.Pairs, o.Requests, o.Executions, o.Invalid, o.Stopped, o.Narrowed, o.Rows)
	for _, f := range o.Findings {
		fmt.Fprintln(&out, f.Trial.ID(), f.Kind, f.From, f.Requests)
	}
	return out.String()
}
