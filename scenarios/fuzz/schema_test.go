package fuzz

import (
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/oncespec/oncespec/mockapi"
	"github.com/oncespec/oncespec/scenarios/target/config"
)

// described is the operation with a schema in place of vary. The schema allows a priority that the mock refuses.
func described(t *testing.T, line string) string {
	t.Helper()
	dir, err := filepath.Abs("testdata")
	if err != nil {
		t.Fatal(err)
	}
	vary := ticketsYAML[strings.Index(ticketsYAML, "    vary:"):strings.Index(ticketsYAML, "    effects:")]
	return strings.Replace(ticketsYAML, vary, strings.ReplaceAll(line, "DIR", dir), 1)
}

func TestBodiesComeFromASchema(t *testing.T) {
	t.Parallel()
	for name, line := range map[string]string{
		"JSON Schema": "    schema: DIR/ticket.json\n",
		"OpenAPI":     "    openapi: DIR/tickets.yaml\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			yaml := described(t, line)
			op := search(t, Options{Config: serve(t, "", yaml), Seed: 3, Cases: 400}).Operations[0]
			if len(op.Findings) != 0 {
				t.Errorf("found %s: %s", op.Findings[0].Rewrite, op.Findings[0].Detail)
			}
			if len(op.Narrowed) != 1 || op.Narrowed[0].At != "/priority" || op.Narrowed[0].Value != `"urgent"` || op.Invalid == 0 || op.Stopped != "" {
				t.Errorf("narrowed %+v, %d invalid, stopped %q; want the priority that the target refuses, and a search to the end", op.Narrowed, op.Invalid, op.Stopped)
			}
			wrong := search(t, Options{Config: serve(t, "fingerprint-by-kind", yaml), Seed: 3, Cases: 400, first: true}).Operations[0]
			if len(wrong.Findings) == 0 {
				t.Error("no findings on a target that is wrong for other priorities")
			}
		})
	}
}

// A target at the other end of a network: screenings go on together, and no limit is passed.
func TestASlowTargetIsAskedLittleAndTogether(t *testing.T) {
	t.Parallel()
	api, err := mockapi.New(mockapi.Options{Mutant: "fingerprint-float64"})
	if err != nil {
		t.Fatal(err)
	}
	const latency = 20 * time.Millisecond
	var now, peak atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if n := now.Add(1); n > peak.Load() {
			peak.Store(n)
		}
		defer now.Add(-1)
		time.Sleep(latency) // the target's work
		api.ServeHTTP(w, r)
	}))
	t.Cleanup(func() { server.Close(); api.Close() })
	cfg, err := config.Parse("slow", []byte(ticketsYAML), nil)
	if err != nil {
		t.Fatal(err)
	}
	cfg.Target.URL = server.URL
	cfg.Limits.Objects = 60
	op := search(t, Options{Config: cfg, Seed: 1, Cases: 5000, noSweep: true}).Operations[0]
	if op.Executions > 60 || !strings.Contains(op.Stopped, "limits.objects") {
		t.Errorf("%d objects, stopped %q; want the limit kept, and said", op.Executions, op.Stopped)
	}
	if op.finding("number/beyond-2^53") == nil {
		t.Errorf("60 objects did not suffice to find a number beyond 2^53: %d findings in %d requests", len(op.Findings), op.Requests)
	}
	if n := peak.Load(); n < 2 || n > defaultWorkers+1 {
		t.Errorf("%d requests at once, want several and no more than %d, and one that looks closely", n, defaultWorkers)
	}
}
