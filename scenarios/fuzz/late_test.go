package fuzz

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/oncespec/oncespec/mockapi"
	"github.com/oncespec/oncespec/scenarios/fingerprint"
	"github.com/oncespec/oncespec/scenarios/target/config"
)

// lateTwice replays what is indented, and executes it again a while later.
func lateTwice(t *testing.T, after time.Duration) *config.Config {
	t.Helper()
	api, err := mockapi.New(mockapi.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var working sync.WaitGroup
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if bytes.Contains(body, []byte("\n  ")) {
			again := r.Clone(t.Context())
			again.Body = io.NopCloser(bytes.NewReader(body))
			again.Header.Set("Idempotency-Key", `"`+uuid.NewString()+`"`)
			working.Go(func() {
				time.Sleep(after) // the target's work
				api.ServeHTTP(httptest.NewRecorder(), again)
			})
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		api.ServeHTTP(w, r)
	}))
	t.Cleanup(func() { server.Close(); working.Wait(); api.Close() })
	cfg, err := config.Parse("late", []byte(ticketsYAML), nil)
	if err != nil {
		t.Fatal(err)
	}
	cfg.Target.URL = server.URL
	return cfg
}

// A screening counts effects once; what comes after that, within the time to settle, is seen as well, kept, and found again.
func TestWhatIsDoneLateIsFound(t *testing.T) {
	t.Parallel()
	const after, settle = 50 * time.Millisecond, 1500 * time.Millisecond // far apart: the machine may be busy
	for _, random := range []bool{false, true} {
		cfg := lateTwice(t, after)
		cfg.Timeouts.Settle = settle
		op := search(t, Options{Config: cfg, Seed: 2, Cases: 200, noSweep: random, noSearch: !random}).Operations[0]
		f := op.finding("space/pretty")
		if f == nil || f.Kind != fingerprint.DoubleExecution || len(f.Trial.Changes) > 0 {
			t.Fatalf("random %v: found %+v in %d pairs", random, op.Findings, op.Pairs)
		}
		dir := filepath.Join(t.TempDir(), "pairs")
		if err := WriteCorpus(dir, &Report{Operations: []*Operation{op}}); err != nil {
			t.Fatal(err)
		}
		again := search(t, Options{Config: cfg, Seed: 3, Cases: 1, Corpus: dir, noSweep: true, noSearch: true}).Operations[0]
		if g := again.finding("space/pretty"); g == nil || g.From != "corpus" {
			t.Errorf("the case was not found again: %+v", again.Corpus)
		}
	}
}
