package crash

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/oncespec/oncespec/scenarios/history"
)

// server is a target as a kill sees it: how long it works on a request, how late it is reached, how late a kill takes effect.
type server struct{ handling, late, lag time.Duration }

// meets is what the kill at its instants does to the attempts, and when after its request each of them died or was answered.
func (s server) meets(shots []shot) (fates []fate, given int64, died []time.Duration) {
	given = 1_000_000
	for _, shot := range shots {
		at := shot.at + s.late
		f := fate{Link: history.Link{LastRequestAt: given - at.Microseconds()}}
		if at+s.lag >= s.handling {
			f.FirstByteAt = f.LastRequestAt + s.handling.Microseconds()
		} else {
			f.hit = true
			died = append(died, at+s.lag)
		}
		fates = append(fates, f)
	}
	return fates, given, died
}

func TestTheSweepLearnsToLand(t *testing.T) {
	t.Parallel()
	const measured = time.Millisecond
	for name, s := range map[string]server{
		"as measured":              {handling: measured},
		"the kill is late":         {handling: measured, lag: 400 * time.Microsecond},
		"the attempt is early":     {handling: measured, late: 400 * time.Microsecond},
		"both":                     {handling: measured, late: 300 * time.Microsecond, lag: 300 * time.Microsecond},
		"slower than was measured": {handling: 2 * measured, lag: 100 * time.Microsecond},
		"faster than was measured": {handling: 600 * time.Microsecond, lag: 50 * time.Microsecond},
	} {
		for _, size := range []int{1, atOnce} {
			for seed := range uint64(20) {
				a := newAim(rand.New(rand.NewPCG(seed, 1)), measured, 8)
				first, last := s.handling, time.Duration(0)
				for a.landed < 8 && a.tried < triesPerKill*8 {
					shots := a.next(size)
					fates, given, died := s.meets(shots)
					a.learn(shots, fates, given)
					for _, at := range died {
						first, last = min(first, at), max(last, at)
					}
				}
				if a.landed < 6 {
					t.Errorf("%s, %d at once, seed %d: only %d of %d tries landed", name, size, seed, a.landed, a.tried)
				}
				if size == 1 && 2*last < s.handling {
					t.Errorf("%s, seed %d: all kills came in the first half, %v to %v of %v", name, seed, first, last, s.handling)
				}
			}
		}
	}
}

// A target that answers at once is killed as soon as it has the request, once half of the tries are spent for nothing.
func TestTheSweepEndsAtTheEarliestInstant(t *testing.T) {
	t.Parallel()
	a := newAim(rand.New(rand.NewPCG(1, 1)), 100*time.Millisecond, 8)
	s := server{handling: time.Millisecond}
	for a.landed == 0 && a.tried < triesPerKill*8 {
		shots := a.next(1)
		fates, given, _ := s.meets(shots)
		a.learn(shots, fates, given)
	}
	if a.landed == 0 {
		t.Errorf("%d tries, and none was early enough", a.tried)
	}
}
