package burst_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/oncespec/oncespec/faults/burst"
	"github.com/oncespec/oncespec/faults/leaktest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

func TestAllAreReadyBeforeOneGoes(t *testing.T) {
	t.Parallel()
	const n = 50
	var together sync.WaitGroup
	together.Add(n)
	shots := make([]burst.Shot, n)
	for i := range shots {
		shots[i].Send = func(_ context.Context, f *burst.Flight) {
			f.Written = time.Now()
			together.Done()
			together.Wait() // passes only if all shots are under way at one time
			f.Answered = time.Now()
		}
	}
	flights := burst.Fire(t.Context(), burst.Barrier(), shots).Flights
	if got := burst.Overlap(flights); got != n {
		t.Errorf("overlap %d, want %d", got, n)
	}
	if got := burst.Overlapped(flights); got != n {
		t.Errorf("overlapped %d, want %d", got, n)
	}
	for i, f := range flights {
		if f.Released.IsZero() || f.Written.Before(f.Released) || f.Ended.Before(f.Answered) {
			t.Errorf("flight %d out of order: %+v", i, f)
		}
	}
}

// Let go together, but the other side took them one by one.
func TestBurstThatRanOneByOneSaysSo(t *testing.T) {
	t.Parallel()
	var turn sync.Mutex
	shots := make([]burst.Shot, 20)
	for i := range shots {
		shots[i].Send = func(_ context.Context, f *burst.Flight) {
			turn.Lock()
			defer turn.Unlock()
			f.Written = time.Now()
			f.Answered = f.Written.Add(time.Nanosecond)
			for !time.Now().After(f.Answered) { // the next one starts later, whatever the clock's resolution
			}
		}
	}
	flights := burst.Fire(t.Context(), burst.Barrier(), shots).Flights
	if together, some := burst.Overlap(flights), burst.Overlapped(flights); together != 1 || some != 0 {
		t.Errorf("overlap %d, overlapped %d; want 1 and 0", together, some)
	}
}

func TestOverlap(t *testing.T) {
	t.Parallel()
	zero := time.Now()
	at := func(n int) time.Time { return zero.Add(time.Duration(n)) }
	air := func(from, to int) burst.Flight {
		return burst.Flight{Written: at(from), Answered: at(to), Ended: at(100)}
	}
	for name, c := range map[string]struct {
		flights          []burst.Flight
		together, common int
	}{
		"none":                          {nil, 0, 0},
		"one":                           {[]burst.Flight{air(0, 9)}, 1, 0},
		"one after another":             {[]burst.Flight{air(0, 1), air(2, 3), air(4, 5)}, 1, 0},
		"landing as the next starts":    {[]burst.Flight{air(0, 1), air(1, 2)}, 1, 0},
		"a chain":                       {[]burst.Flight{air(0, 2), air(1, 4), air(3, 5)}, 2, 3},
		"one within another, one apart": {[]burst.Flight{air(0, 9), air(3, 4), air(20, 30)}, 2, 2},
		"all":                           {[]burst.Flight{air(0, 9), air(3, 7), air(4, 8)}, 3, 3},
		"never written whole":           {[]burst.Flight{{Ended: at(9)}, air(0, 9)}, 1, 0},
		"never answered":                {[]burst.Flight{{Written: at(1), Ended: at(9)}, air(5, 6)}, 2, 2},
		"answered before it was whole":  {[]burst.Flight{air(5, 3), air(0, 9)}, 1, 0},
	} {
		if together, common := burst.Overlap(c.flights), burst.Overlapped(c.flights); together != c.together || common != c.common {
			t.Errorf("%s: overlap %d, overlapped %d; want %d and %d", name, together, common, c.together, c.common)
		}
	}
}

func TestNoShots(t *testing.T) {
	t.Parallel()
	untouched := burst.Rung{Arm: func(context.Context) error { t.Error("armed for nothing"); return nil }}
	if v := burst.Fire(t.Context(), untouched, nil); len(v.Flights) != 0 || v.Err != nil {
		t.Errorf("got %+v", v)
	}
}
