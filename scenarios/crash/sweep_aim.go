package crash

import (
	"context"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"time"

	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/target"
)

const (
	// earlier is what an instant that came too late is multiplied with before it is tried again.
	earlier = 0.85
	// later is what the handling time is taken for, times what it was, where a kill near its end came too early for an answer: the
	// first request after a start takes longer than those that were measured.
	later, nearEnd = 1.3, 0.6
	// lateness draws more of the instants from the second half: effects and records are written there, after all that is checked.
	lateness = 0.7
	// coarse is how late a timer may fire: a target may answer within that.
	coarse = 2 * time.Millisecond
)

// aim chooses the instants at which the target is killed. It is closed-loop: a kill takes effect later than it is given, and an
// attempt takes longer to reach the target than planned; how much is measured by the kills that were.
type aim struct {
	rand     *rand.Rand
	handling time.Duration
	wanted   int
	open     []shot // slices of the handling time in which no kill has landed yet
	passed   bool   // an answer had begun when the target was killed: the handling time is not longer than what was tried
	landed   int    // attempts that were hit in flight
	tried    int

	late, lag []time.Duration // of each kill: how much later than planned it was given; how much later it took effect, as far as seen
}

// shot is one attempt that is to be hit at an instant after its request.
type shot struct {
	share  float64 // of the handling time
	at     time.Duration
	extra  bool // fills up a kill; its slice is not waited for
	missed int  // how often it came too late
}

// fate is what became of a shot.
type fate struct {
	history.Link
	hit bool // the target is shown to have had the request, and not begun to answer, when it died
}

// newAim draws one shot from each slice of the handling time. The latest come first: they tell how long it is.
func newAim(r *rand.Rand, handling time.Duration, wanted int) *aim {
	a := &aim{rand: r, handling: handling, wanted: wanted}
	for i := wanted - 1; i >= 0; i-- {
		a.open = append(a.open, shot{share: math.Pow((float64(i)+r.Float64())/float64(wanted), lateness)})
	}
	return a
}

// next takes the shots of one kill, the latest first. Where fewer slices are open than one kill can hit, it is filled up: what a
// restart costs is paid for anyway.
func (a *aim) next(size int) []shot {
	n := min(size, len(a.open))
	shots := slices.Clone(a.open[:n])
	a.open = a.open[n:]
	for len(shots) < size {
		shots = append(shots, shot{share: a.rand.Float64(), extra: true, missed: 1})
	}
	for i := range shots {
		s := &shots[i]
		at := s.share * float64(a.handling)
		for range s.missed {
			at *= earlier
		}
		s.at = max(0, time.Duration(at)-middle(a.late)-middle(a.lag))
		if a.landed == 0 && a.tried >= a.wanted {
			s.at = 0
		}
	}
	slices.SortStableFunc(shots, func(a, b shot) int { return int(b.at - a.at) })
	return shots
}

// learn takes in what became of the attempts of a kill that was given at a moment of the run, in microseconds.
func (a *aim) learn(shots []shot, fates []fate, given int64) {
	var late []time.Duration
	lag, atEnd := time.Duration(0), false
	for i, s := range shots {
		at := fates[i]
		if at.LastRequestAt > 0 {
			late = append(late, micro(given-at.LastRequestAt)-s.at)
		}
		if at.FirstByteAt > given {
			lag = max(lag, micro(at.FirstByteAt-given))
		}
		a.tried++
		switch {
		case at.FirstByteAt > 0:
			s.missed++
			a.passed = true
			a.handling = (a.handling + min(micro(at.FirstByteAt-at.LastRequestAt), 2*a.handling)) / 2
		case at.hit:
			a.landed++
			atEnd = atEnd || s.missed == 0 && s.share >= nearEnd
			continue
		}
		if !s.extra {
			a.open = append(a.open, s)
		}
	}
	if atEnd && !a.passed {
		a.handling = time.Duration(later * float64(a.handling))
	}
	if len(late) > 0 {
		a.late = append(a.late, max(0, middle(late)))
	}
	a.lag = append(a.lag, lag)
}

func micro(us int64) time.Duration { return time.Duration(us) * time.Microsecond }

// middle is the lower median: one kill that was held up by the machine does not move all that follow.
func middle(d []time.Duration) time.Duration {
	if len(d) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(d))
	return sorted[(len(sorted)-1)/2]
}

func instantsOf(shots []shot) (list []time.Duration) {
	for _, s := range shots {
		list = append(list, s.at)
	}
	return list
}

// until waits for a moment more exactly than a timer does, which may be a millisecond late: the whole handling time of many.
func until(ctx context.Context, moment time.Time) {
	if left := time.Until(moment) - coarse; left > 0 && !target.Pause(ctx, left) {
		return
	}
	for time.Now().Before(moment) {
		runtime.Gosched()
	}
}
