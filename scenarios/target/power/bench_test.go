package power_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/oncespec/oncespec/faults/burst"
	"github.com/oncespec/oncespec/mockapi/racy"
	"github.com/oncespec/oncespec/scenarios/target/power"
)

var keys int

// naive is what anybody writes first: a goroutine a request, each with a connection of its own.
func naive(tb testing.TB, addr string, l power.Load, w racy.Window) (hit bool, spread time.Duration) {
	tb.Helper()
	receipts := make([]racy.Receipt, l.Keys*l.Each)
	transport := &http.Transport{DisableKeepAlives: true}
	var all sync.WaitGroup
	for i := range receipts {
		key := fmt.Sprintf("naive-%d-%d", keys, i/l.Each)
		all.Go(func() {
			r, err := http.NewRequest(http.MethodPost, "http://"+addr+"/?"+w.Query(), nil)
			if err != nil {
				tb.Error(err)
				return
			}
			r.Header.Set(racy.KeyField, key)
			answer, err := transport.RoundTrip(r)
			if err != nil {
				tb.Error(err)
				return
			}
			defer answer.Body.Close()
			if err := json.NewDecoder(answer.Body).Decode(&receipts[i]); err != nil {
				tb.Error(err)
			}
		})
	}
	all.Wait()
	keys++
	executed := make([]int, l.Keys)
	first, last := receipts[0].Began, receipts[0].Began
	for i, r := range receipts {
		first, last = min(first, r.Began), max(last, r.Began)
		if r.Executed {
			executed[i/l.Each]++
		}
	}
	return slices.Max(executed) > 1, time.Duration(last - first)
}

// BenchmarkReplicas races two known-racy servers on one store by each rung.
func BenchmarkReplicas(b *testing.B) {
	for _, rung := range []string{burst.StoreHoldName, burst.StoreLatencyName, burst.FreezeName, burst.HTTP2Name, burst.BarrierName} {
		for _, l := range []power.Load{{Keys: 1, Each: 2}, {Keys: 1, Each: 8}, {Keys: 10, Each: 2}} {
			b.Run(fmt.Sprintf("%s/%dx%d", rung, l.Keys, l.Each), func(b *testing.B) {
				r, rounds, hits := replicas(b, rung, 2), 0, 0
				for b.Loop() {
					round, err := r.Race(b.Context(), l, tenMicroseconds)
					if err != nil {
						b.Fatal(err)
					}
					rounds++
					if round.Hits > 0 {
						hits++
					}
				}
				b.ReportMetric(100*float64(hits)/float64(rounds), "found-%")
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}

// BenchmarkRungs races the known-racy server by each rung, and by naive goroutines in turn with it, so that both have the same
// machine: how far the handlers' beginnings are spread, and how many bursts find a window of 10 µs.
func BenchmarkRungs(b *testing.B) {
	const bare = burst.BarrierName + ", past the fault links"
	for _, rung := range []string{burst.StoreHoldName, burst.StoreLatencyName, burst.FreezeName, burst.HTTP2Name, burst.BarrierName, bare} {
		for _, l := range []power.Load{{Keys: 1, Each: 2}, {Keys: 1, Each: 20}, {Keys: 10, Each: 2}, {Keys: 1, Each: 50}, {Keys: 25, Each: 2}} {
			b.Run(fmt.Sprintf("%s/%dx%d", rung, l.Keys, l.Each), func(b *testing.B) {
				name, past := strings.CutSuffix(rung, ", past the fault links")
				r := open(b, name)
				if past {
					r.Bare()
				}
				var mine, theirs []time.Duration
				hits, naiveHits := 0, 0
				for b.Loop() {
					round, err := r.Race(b.Context(), l, tenMicroseconds)
					if err != nil {
						b.Fatal(err)
					}
					mine = append(mine, round.Spread)
					if round.Hits > 0 {
						hits++
					}
					hit, spread := naive(b, r.Addr(), l, tenMicroseconds)
					theirs = append(theirs, spread)
					if hit {
						naiveHits++
					}
				}
				slices.Sort(mine)
				slices.Sort(theirs)
				n := len(mine)
				b.ReportMetric(float64(mine[n/2].Microseconds()), "spread-µs")
				b.ReportMetric(float64(mine[n*9/10].Microseconds()), "spread-p90-µs")
				b.ReportMetric(float64(theirs[n/2].Microseconds()), "naive-spread-µs")
				b.ReportMetric(100*float64(hits)/float64(n), "found-%")
				b.ReportMetric(100*float64(naiveHits)/float64(n), "naive-found-%")
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}
