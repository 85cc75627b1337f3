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
	// earlier is the factor by which the estimated time to the first answer shrinks when all requests had been answered before
	// the kill.
	earlier = 0.7
	// later is the factor by which it grows when a kill near its end came too early for an answer: the first requests after a
	// start take longer than those that were measured.
	later, nearEnd = 1.3, 0.6
	// lateness shifts the instants towards the second half of the handling time: effects and records are written there, after
	// all the checks.
	lateness = 0.7
	// firstFew is the number of answers, at most, after which the remaining requests are killed: they are then doing what the
	// first ones did last.
	firstFew = 3
	// narrow is the distance at which the search for the moment of the effect ends: that moment differs between any two
	// requests.
	narrow = 0.1
	// shortest is the least length of a step: stopping a server takes about as long as what it does in a shorter one.
	shortest = 50 * time.Microsecond
	// coarse is how late a timer may fire; a target may answer within that time.
	coarse = 2 * time.Millisecond
)

// aim chooses the instants at which the target is killed. It is a closed loop: a kill takes effect later than it is given, and
// an attempt reaches the target later than planned, so each kill corrects the plan of the next by what was measured.
type aim struct {
	rand    *rand.Rand
	until   time.Duration // from when the target has the requests until it begins to answer the first
	passed  bool          // an answer had begun when the target was killed: that time is not longer than what was tried
	slices  []float64     // of the instants for one request at a time, as shares of until
	lo, hi  time.Duration // at which most had no effect, and at which most had one; hi 0: none was seen yet
	behind  []int         // of each kill at an answer: how many more had begun when it came
	late    []time.Duration
	lag     []time.Duration // of each kill: how much later than planned it was given; how much later it took effect, as far as seen
	spared  int
	tried   int
	landed  int
	hurried bool // nothing else landed: from now on at once
}

// shot is when the target is to be killed.
type shot struct {
	answers int           // once so many answers have begun
	at      time.Duration // after that; where the target works in steps, before it is looked whether they have
	step    time.Duration
	most    int     // where more have begun by then it is spared: too few are left to be worth a restart
	share   float64 // of the time until the first answer; 0: it is counted by answers
	sides   bool    // it is to tell on which side of the effect it came
}

// newAim draws one instant from each slice.
func newAim(r *rand.Rand, until time.Duration, wanted int) *aim {
	a := &aim{rand: r, until: until}
	n := (wanted + 1) / 2
	for i := n - 1; i >= 0; i-- {
		a.slices = append(a.slices, (float64(i)+r.Float64())/float64(n))
	}
	return a
}

// next is when to kill the target that has so many requests. With one it is every second time an instant of the spread, the
// latest first: they tell how long it takes. With several it is mostly when the first few of them have been answered: the
// others are spread over all that comes before, however fast or slow the machine is at the time, and wait for each other where
// only one can write.
func (a *aim) next(size int, steps bool) shot {
	if a.hurried {
		return shot{most: size - 1}
	}
	switch turn := a.tried / 2; {
	case size == 1 && a.tried%2 == 0:
		return a.timed(size, a.share(math.Pow(a.slices[turn%len(a.slices)], lateness)), false)
	case size == 1:
		return a.timed(size, a.between(0.3, 0.9), true)
	case a.landed%4 == 1:
		return a.timed(size, a.between(0, 1), true)
	}
	answers := 1 + a.rand.IntN(min(firstFew, size-1))
	if answers -= median(a.behind); answers <= 0 && !steps {
		return a.timed(size, a.share(0.8+a.rand.Float64()/4), false)
	}
	s := shot{answers: max(1, answers), at: time.Duration(a.rand.Float64() * float64(a.until) / float64(2*size)), step: max(shortest, a.until/256)}
	if s.most = size - 1; a.spared < len(a.slices) {
		s.most = max(s.answers, size/2)
	}
	return s
}

func (a *aim) timed(size int, at time.Duration, sides bool) shot {
	return shot{at: max(0, at-median(a.late)-median(a.lag)), share: float64(at) / float64(a.until), sides: sides, most: size - 1}
}

func (a *aim) share(of float64) time.Duration { return time.Duration(of * float64(a.until)) }

// between draws an instant from a part of what lies between both sides of the effect.
func (a *aim) between(from, to float64) time.Duration {
	hi := a.hi
	if hi == 0 {
		hi = max(a.until, a.lo)
	}
	return a.lo + time.Duration((from+(to-from)*a.rand.Float64())*float64(hi-a.lo))
}

// fate is what became of one request of a kill.
type fate struct {
	came     int64 // when the target had it and could work on it, in microseconds of the run; 0: never
	answered int64 // when its answer began; 0: never
	hit      bool  // the target is shown to have had it, and not begun to answer, when it died
	effect   bool  // and its effect was there when it was looked for
}

// learn takes in what became of the requests of a kill that was given at a moment of the run, in microseconds; 0: it was not,
// since all had been answered.
func (a *aim) learn(s shot, fates []fate, given int64) {
	a.tried++
	var hit, effects, began int
	var came, first int64
	lag := time.Duration(0)
	for _, f := range fates {
		came = max(came, f.came)
		switch {
		case f.hit:
			hit++
			if f.effect {
				effects++
			}
		case f.answered > 0:
			if began++; first == 0 || f.answered-f.came < first {
				first = max(1, f.answered-f.came)
			}
			if given > 0 {
				lag = max(lag, micro(f.answered-given))
			}
		}
	}
	if hit > 0 {
		a.landed++
	}
	switch {
	case s.answers > 0:
	case first > 0:
		a.passed = true
		a.until = (a.until + min(micro(first), 2*a.until)) / 2
		if hit == 0 {
			a.until = time.Duration(earlier * float64(a.until))
		}
	case hit > 0 && s.share >= nearEnd && !a.passed:
		a.until = time.Duration(later * float64(a.until))
	}
	if given == 0 {
		a.spared++
	}
	if s.answers > 0 {
		if hit == 0 {
			a.behind = append(a.behind, max(0, began-s.answers))
		}
		if came > 0 && given > came && hit > 0 {
			a.until = micro(given - came)
		}
		return
	}
	a.lag = append(a.lag, lag)
	if came > 0 && given > came {
		a.late = append(a.late, max(0, micro(given-came)-s.at))
	}
	if s.sides && came > 0 {
		a.bisect(micro(given-came), 2*(effects+began) > hit+began)
	}
}

// bisect takes an instant for one side of the moment at which the effects come. Where kills contradict each other, since no
// two requests take the same time, the other side is drawn back a little.
func (a *aim) bisect(at time.Duration, there bool) {
	apart := a.share(narrow)
	if there {
		a.hi = max(at, 1)
		a.lo = max(0, min(a.lo, a.hi-apart))
		return
	}
	a.lo = max(0, at)
	if a.hi > 0 {
		a.hi = max(a.hi, a.lo+apart)
	}
}

func micro(us int64) time.Duration { return time.Duration(us) * time.Microsecond }

// median is the lower one: one kill that was held up by the machine does not move all that follow.
func median[T int | time.Duration](list []T) (none T) {
	if len(list) == 0 {
		return none
	}
	sorted := slices.Sorted(slices.Values(list))
	return sorted[(len(sorted)-1)/2]
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

// fateOf reads from a kill's history what became of an intent's first attempt.
func fateOf(h *history.History, kill *history.Fault, a *history.Attempt) fate {
	part, _ := struck(h, kill, a.Intent)
	return fate{
		came: came(h, a), answered: a.Link.FirstByteAt,
		hit:    part == inFlight || part == history.AfterEffect,
		effect: shown(h, a.Intent),
	}
}
