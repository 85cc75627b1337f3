package power_test

import (
	"errors"
	"math"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/oncespec/oncespec/faults/burst"
	"github.com/oncespec/oncespec/faults/leaktest"
	"github.com/oncespec/oncespec/mockapi/racy"
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/target/power"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "racy" {
		os.Exit(racy.Main(os.Args[2:], os.Stderr))
	}
	leaktest.Main(m)
}

func open(tb testing.TB, rung string) *power.Range {
	tb.Helper()
	return replicas(tb, rung, 1)
}

func replicas(tb testing.TB, rung string, n int) *power.Range {
	tb.Helper()
	self, err := os.Executable()
	if err != nil {
		tb.Fatal(err)
	}
	r, err := power.Open(tb.Context(), []string{self, "racy"}, power.Options{Rung: rung, Replicas: n})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(r.Close)
	return r
}

// tenMicroseconds is a check-then-insert as it is against a fast store: the processor is free meanwhile.
var tenMicroseconds = racy.Window{Length: 10 * time.Microsecond}

// series races the server, and counts the bursts that found the race and those in which handlers met.
func series(tb testing.TB, r *power.Range, rounds int, l power.Load, w racy.Window) (hits, met int) {
	tb.Helper()
	for range rounds {
		round, err := r.Race(tb.Context(), l, w)
		if err != nil {
			tb.Fatal(err)
		}
		if round.Hits > 0 {
			hits++
		}
		if round.Met > 0 {
			met++
		}
		if round.Hits > round.Met {
			tb.Errorf("work was done twice, and no two handlers met: %+v", round)
		}
	}
	return hits, met
}

// fewest is the number of hits below which a chance of that much can be ruled out: a test that asks for it fails by bad luck once
// in a thousand times where the chance is just that, and hardly ever where it is more.
func fewest(rounds int, chance float64) int {
	for hits := rounds; hits > 0; hits-- {
		if power.AtLeast(hits, rounds, chance) > 0.999 {
			return hits
		}
	}
	return 0
}

// TestShortWindowIsFoundInOneBurst is the bar: where the process may be frozen or the store link is ours, one burst finds a
// window of 10 µs with probability 0.95 or more.
func TestShortWindowIsFoundInOneBurst(t *testing.T) {
	const rounds, chance = 60, 0.95
	load := power.Load{Keys: 10, Each: 2}
	for _, rung := range []string{burst.StoreHoldName, burst.StoreLatencyName, burst.FreezeName} {
		t.Run(rung, func(t *testing.T) {
			hits, met := series(t, open(t, rung), rounds, load, tenMicroseconds)
			t.Logf("%d of %d bursts of %+v found it, handlers met in %d", hits, rounds, load, met)
			if want := fewest(rounds, chance); hits < want {
				t.Errorf("%d of %d bursts found it; with probability %v at least %d do, but for one time in a thousand", hits, rounds, chance, want)
			}
		})
	}
}

// TestShortWindowBetweenReplicasIsFoundInOneBurst: two servers on one store. Where their store link is ours the bar is the
// same. Where they are frozen it is lower: they are woken one right after the other, but run when the operating system has
// them run, so that one may have done its work before the other does any.
func TestShortWindowBetweenReplicasIsFoundInOneBurst(t *testing.T) {
	const rounds = 60
	load := power.Load{Keys: 10, Each: 2}
	for rung, chance := range map[string]float64{burst.StoreHoldName: 0.95, burst.StoreLatencyName: 0.95, burst.FreezeName: 0.5} {
		t.Run(rung, func(t *testing.T) {
			hits, met := series(t, replicas(t, rung, 2), rounds, load, tenMicroseconds)
			t.Logf("%d of %d bursts of %+v found it, handlers met in %d", hits, rounds, load, met)
			if want := fewest(rounds, chance); hits < want {
				t.Errorf("%d of %d bursts found it; with probability %v at least %d do, but for one time in a thousand", hits, rounds, chance, want)
			}
		})
	}
}

// TestMeasureReplicas: every rung can be measured for two and three servers on one store, and says that it was.
func TestMeasureReplicas(t *testing.T) {
	for _, rung := range []string{burst.StoreHoldName, burst.StoreLatencyName, burst.FreezeName, burst.HTTP2Name, burst.BarrierName} {
		for _, n := range []int{2, 3} {
			p, err := replicas(t, rung, n).Measure(t.Context(), 50*time.Millisecond)
			if err != nil {
				t.Fatal(err)
			}
			if p.Rung != rung || p.Replicas != n || p.Requests != n*p.Keys || len(p.Windows) == 0 {
				t.Errorf("%s: %+v", rung, p)
			}
			t.Logf("%s, %d replicas: %+v", rung, n, p.Windows)
		}
	}
}

// TestHoldOnTheStoreLinkIsCertain: also two requests, with no window of their own, when nothing is answered before both have
// asked.
func TestHoldOnTheStoreLinkIsCertain(t *testing.T) {
	const rounds = 40
	hits, _ := series(t, open(t, burst.StoreHoldName), rounds, power.Load{Keys: 1, Each: 2}, racy.Window{})
	if t.Logf("%d of %d", hits, rounds); hits < rounds-1 { // one that a loaded machine kept from asking in time
		t.Errorf("%d of %d bursts of two found it", hits, rounds)
	}
}

// TestOneByOneFindsNothingAndSaysSo: a race that is none is seen to be none.
func TestOneByOneFindsNothingAndSaysSo(t *testing.T) {
	r := open(t, burst.BarrierName)
	r.OneByOne()
	if hits, met := series(t, r, 20, power.Load{Keys: 2, Each: 10}, racy.Window{Length: time.Millisecond}); hits != 0 || met != 0 {
		t.Errorf("%d hits, handlers met in %d bursts; expected none", hits, met)
	}
	p, err := r.Measure(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range p.Windows {
		if w.Hits != 0 || w.Overlapped != 0 || w.Floor != 0 {
			t.Errorf("power was claimed: %+v", w)
		}
	}
}

// TestMeasure: every rung can be measured, and says what it did.
func TestMeasure(t *testing.T) {
	for _, rung := range []string{burst.StoreHoldName, burst.StoreLatencyName, burst.FreezeName, burst.HTTP2Name, burst.BarrierName} {
		p, err := open(t, rung).Measure(t.Context(), 100*time.Millisecond)
		if err != nil {
			t.Fatal(err)
		}
		if p.Rung != rung || p.Keys < 1 || p.Requests < 2*p.Keys || len(p.Windows) == 0 || p.Windows[0].US != 10 || p.Windows[0].Busy {
			t.Errorf("%s: %+v", rung, p)
		}
		busy := slices.ContainsFunc(p.Windows, func(w history.PowerWindow) bool { return w.Busy })
		if several := p.Cores > 1; busy != several || (p.Unmeasured == "") != several {
			t.Errorf("%s: on %d cores: %+v", rung, p.Cores, p)
		}
		for _, w := range p.Windows {
			if w.Rounds == 0 || w.Hits > w.Overlapped || w.Overlapped > w.Rounds || w.Floor > float64(w.Hits)/float64(w.Rounds) {
				t.Errorf("%s: %+v", rung, w)
			}
		}
	}
}

// TestOneCore: where harness and server share a core, windows in which the processor is free are measured all the same, and of
// those that are spent computing it is said that nobody can tell.
func TestOneCore(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	p, err := open(t, burst.BarrierName).Measure(t.Context(), 50*time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	if p.Cores != 1 || !strings.Contains(p.Unmeasured, "not assessable on one core") || len(p.Windows) == 0 {
		t.Errorf("%+v", p)
	}
	for _, w := range p.Windows {
		if w.Busy {
			t.Errorf("a busy window was measured on one core: %+v", w)
		}
	}
}

// TestInThisProcess: without a program to start, all but freezing can be measured.
func TestInThisProcess(t *testing.T) {
	r, err := power.Open(t.Context(), nil, power.Options{Rung: burst.BarrierName})
	if err != nil {
		t.Fatal(err)
	}
	if round, err := r.Race(t.Context(), power.Load{Keys: 1, Each: 4}, racy.Window{Length: 50 * time.Millisecond}); err != nil || round.Hits != 1 {
		t.Errorf("%+v, %v", round, err)
	}
	r.Close()
	if _, err := power.Open(t.Context(), nil, power.Options{Rung: burst.FreezeName}); !errors.Is(err, power.ErrCannot) {
		t.Errorf("freezing this process: %v", err)
	}
}

func TestFloor(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		hits, rounds int
		want         float64 // by any table of Clopper and Pearson
	}{{0, 20, 0}, {20, 20, 0.8609}, {10, 20, 0.3020}, {1, 1, 0.05}, {19, 20, 0.7839}} {
		if got := power.Floor(c.hits, c.rounds); math.Abs(got-c.want) > 0.0001 {
			t.Errorf("%d of %d: %.4f, want %.4f", c.hits, c.rounds, got, c.want)
		}
	}
}
