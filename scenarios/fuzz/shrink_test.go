package fuzz

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/oncespec/oncespec/mockapi"
	"github.com/oncespec/oncespec/scenarios/target/config"
)

// costly are the defects whose price is bounded, and the smallest pair that shows each: the rewrites that may show it first, and
// where the bodies of that pair differ.
var costly = []struct {
	name, mutant string
	minimal      map[string]string // by rewrite: pointer, A and B
}{
	{"float64", "fingerprint-float64", map[string]string{"number/beyond-2^53": "/details/oncespec 9007199254740992 9007199254740993"}},
	{"replacer array", "fingerprint-replacer-array", map[string]string{
		"nested/leaf": `/details/source/system "billing" "billinf"`, "nested/map": `/details/source/system "billing" "billinf"`,
		"leaf/amount": "/details/source/page 7 8", "nested/new-key": `/details/role  "admin"`, "number/beyond-2^53": "/details/oncespec 9007199254740992 9007199254740993",
		"absent/null-to-absent": "/details/oncespec null ", "absent/zero-to-absent": "/details/oncespec 0 ", "type/number-to-string": `/details/source/page 7 "7"`,
	}},
	{"arrays as sets", "fingerprint-sorts-arrays", map[string]string{"array/reordered": `/labels/0 "red" "blue"`}},
	{"raw bytes", "fingerprint-raw-bytes", map[string]string{"order/top": " ", "space/pretty": ""}},
	{"case folding", "fingerprint-folds-case", map[string]string{"leaf/case": `/labels/0 "red" "RED"`}},
	{"unknown fields dropped", "fingerprint-struct", map[string]string{
		"number/beyond-2^53": "/details/oncespec 9007199254740992 9007199254740993", "absent/null-to-absent": "/details/oncespec null ",
		"nested/new-key": `/details/role  "admin"`, "absent/zero-to-absent": "/details/oncespec 0 ",
	}},
	{"null as absent", "fingerprint-null-is-absent", map[string]string{"absent/null-to-absent": "/details/oncespec null "}},
	{"query ignored", "fingerprint-without-query", map[string]string{"query/value": ""}},
}

const (
	seeds         = 9
	medianAllowed = 30
	mostAllowed   = 100
)

// TestFindingAndShrinkingIsCheap counts the requests until a defect is found and its pair is minimal: by a whole search, and by
// the random search alone.
func TestFindingAndShrinkingIsCheap(t *testing.T) {
	t.Parallel()
	for _, d := range costly {
		for _, random := range []bool{false, true} {
			name := d.name + ", whole search"
			if random {
				name = d.name + ", random bodies alone"
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				var spent []int
				tries := seeds
				if testing.Short() {
					tries = 1
				}
				for seed := 1; seed <= tries; seed++ {
					cfg, posted := counted(t, d.mutant)
					o := Options{Config: cfg, Seed: uint64(seed), Cases: 2000, noSweep: random, first: true}
					if random {
						o.Workers = 1 // else what the others sent meanwhile would count too
					}
					op := search(t, o).Operations[0]
					if len(op.Findings) == 0 {
						t.Fatalf("seed %d: nothing was found in %d pairs", seed, op.Pairs)
					}
					f := op.Findings[0]
					// What went over the wire: the steady state too, which a report does not count.
					if n := int(posted.Load()); n < f.Requests || n > f.Requests+4 {
						t.Errorf("seed %d: the target got %d writes, the report says %d", seed, n, f.Requests)
					}
					spent = append(spent, int(posted.Load()))
					isMinimal(t, seed, f, d.minimal)
				}
				slices.Sort(spent)
				t.Logf("%s: requests: median %d, most %d", name, spent[len(spent)/2], spent[len(spent)-1])
				if spent[len(spent)/2] > medianAllowed || spent[len(spent)-1] > mostAllowed {
					t.Errorf("requests %v: expected a median of at most %d, and none above %d", spent, medianAllowed, mostAllowed)
				}
			})
		}
	}
}

// counted serves a mutant, and counts the writes that it gets.
func counted(t *testing.T, mutant string) (*config.Config, *atomic.Int64) {
	t.Helper()
	api, err := mockapi.New(mockapi.Options{Mutant: mutant})
	if err != nil {
		t.Fatal(err)
	}
	var posted atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet {
			posted.Add(1)
		}
		api.ServeHTTP(w, r)
	}))
	t.Cleanup(func() { server.Close(); api.Close() })
	cfg, err := config.Parse("counted", []byte(ticketsYAML), nil)
	if err != nil {
		t.Fatal(err)
	}
	cfg.Target.URL = server.URL
	return cfg, &posted
}

func isMinimal(t *testing.T, seed int, f *Finding, table map[string]string) {
	t.Helper()
	want, known := table[f.Rewrite]
	got := ""
	for _, d := range f.Diff {
		got += fmt.Sprintf("%s %s %s", d.At, d.A, d.B)
		break
	}
	if f.Rewrite == "order/top" { // the whole body, which holds a marker
		got = f.Diff[0].At + " "
	}
	if !known && len(f.Trial.Changes) == 1 && f.Trial.Changes[0].At == f.Trial.Site.At {
		return // the one value that the rewrite acts at had to be another
	}
	if len(f.Trial.Changes) > 0 || !known && len(table) == 1 || known && got != want {
		t.Errorf("seed %d: %s at %s with %v, differs at %q: not the smallest pair %q", seed, f.Rewrite, f.Trial.Site.At, f.Trial.Changes, got, want)
	}
}

// Each of them is found and made small at a target that takes 20 ms a request, and neither objects nor rate go beyond their limits.
func TestACostlyDefectIsFoundAtASlowTargetWithinTheLimits(t *testing.T) {
	t.Parallel()
	const (
		latency = 20 * time.Millisecond
		objects = 10
		rate    = 20
		reads   = 6 // of the state: they wait for nobody, others wait for them
	)
	for _, d := range costly {
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			api, err := mockapi.New(mockapi.Options{Mutant: d.mutant})
			if err != nil {
				t.Fatal(err)
			}
			began := time.Now()
			var requests atomic.Int64
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				requests.Add(1)
				time.Sleep(latency) // the target's work
				api.ServeHTTP(w, r)
			}))
			t.Cleanup(func() { server.Close(); api.Close() })
			cfg, err := config.Parse("slow", []byte(ticketsYAML), nil)
			if err != nil {
				t.Fatal(err)
			}
			cfg.Target.URL, cfg.Limits.Objects, cfg.Limits.Rate = server.URL, objects, rate
			op := search(t, Options{Config: cfg, Seed: 1, first: true}).Operations[0]
			lasted := time.Since(began)
			if len(op.Findings) != 1 || op.Executions > objects {
				t.Fatalf("%d findings with %d objects, stopped %q", len(op.Findings), op.Executions, op.Stopped)
			}
			isMinimal(t, 1, op.Findings[0], d.minimal)
			if n := requests.Load(); float64(n) > rate*lasted.Seconds()+reads {
				t.Errorf("%d requests in %v: more than %d a second", n, lasted, rate)
			}
		})
	}
}
