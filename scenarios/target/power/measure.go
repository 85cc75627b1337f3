package power

import (
	"context"
	"math"
	"runtime"
	"time"

	"github.com/oncespec/oncespec/mockapi/racy"
	"github.com/oncespec/oncespec/scenarios/history"
)

const (
	// enoughRounds that all hit prove a chance of at least 0.86 with that confidence; the next longer window is then not
	// measured.
	enoughRounds = 20
	// fewestRounds are run whatever the time, of windows in which the processor is free and of busy ones.
	fewestRounds, fewestBusy = 8, 4
	// confidence of a floor.
	confidence = 0.95
	// wellSeen is the chance of a hit at which longer windows need no measuring: they are seen at least as well.
	wellSeen = 0.75
)

// load is what is sent at once: several keys are as many chances. Bursts of a campaign that have less see less. Each replica
// gets one with each key.
func (r *Range) load() Load { return Load{Keys: 10, Each: max(2, len(r.addrs))} }

// The windows that are tried, until one is well seen.
var (
	free = []time.Duration{10 * time.Microsecond, 100 * time.Microsecond, time.Millisecond, 5 * time.Millisecond}
	busy = []time.Duration{time.Millisecond, 10 * time.Millisecond}
)

// Measure races the server for about the time, and says what was seen. Windows in which the processor is free come first: they are
// what most defects have. On one core a busy window never lets a second request in, so that it is not measured.
func (r *Range) Measure(ctx context.Context, within time.Duration) (history.Power, error) {
	load := r.load()
	p := history.Power{Rung: r.name, Keys: load.Keys, Requests: load.Keys * load.Each, Cores: min(runtime.NumCPU(), runtime.GOMAXPROCS(0))}
	if len(r.addrs) > 1 {
		p.Replicas = len(r.addrs)
	}
	half := time.Now().Add(within * 2 / 3)
	if err := r.series(ctx, &p, free, false, half); err != nil {
		return p, err
	}
	if p.Cores < 2 {
		p.Unmeasured = "busy windows are not assessable on one core"
		return p, nil
	}
	return p, r.series(ctx, &p, busy, true, half.Add(within/3))
}

func (r *Range) series(ctx context.Context, p *history.Power, lengths []time.Duration, isBusy bool, until time.Time) error {
	for _, length := range lengths {
		w := history.PowerWindow{US: length.Microseconds(), Busy: isBusy}
		fewest := fewestRounds
		if isBusy {
			fewest = fewestBusy
		}
		for w.Rounds < fewest || w.Rounds < enoughRounds && time.Now().Before(until) {
			round, err := r.Race(ctx, r.load(), racy.Window{Length: length, Busy: isBusy})
			if err != nil {
				return err
			}
			w.Rounds++
			if round.Met > 0 {
				w.Overlapped++
			}
			if round.Hits > 0 {
				w.Hits++
			}
		}
		w.Floor = math.Floor(1000*floor(w.Hits, w.Rounds)) / 1000
		p.Windows = append(p.Windows, w)
		if w.Hits == w.Rounds || w.Floor >= wellSeen || time.Now().After(until) {
			break
		}
	}
	return nil
}

// floor is the lower bound of Clopper and Pearson: the smallest chance of a hit with which a series of rounds has that many
// hits, or more, in at least 1 - confidence of all cases.
func floor(hits, rounds int) float64 {
	if hits == 0 {
		return 0
	}
	low, high := 0.0, 1.0
	for range 50 {
		middle := (low + high) / 2
		if atLeast(hits, rounds, middle) > 1-confidence {
			high = middle
		} else {
			low = middle
		}
	}
	return low
}

// atLeast is the chance of so many hits or more.
func atLeast(hits, rounds int, chance float64) (sum float64) {
	for k := hits; k <= rounds; k++ {
		sum += math.Exp(choose(rounds, k) + float64(k)*math.Log(chance) + float64(rounds-k)*math.Log1p(-chance))
	}
	return sum
}

// choose is the logarithm of the binomial coefficient.
func choose(n, k int) float64 {
	all, _ := math.Lgamma(float64(n + 1))
	some, _ := math.Lgamma(float64(k + 1))
	rest, _ := math.Lgamma(float64(n - k + 1))
	return all - some - rest
}
