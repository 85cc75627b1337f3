package crash

import (
	"math/rand/v2"
	"testing"
	"time"
)

// server is a target as a kill sees it: how long it works on a request, from when on there is an effect, how late it is
// reached, how late a kill takes effect.
type server struct{ handling, effect, late, lag time.Duration }

// meets is what a kill does to the one request that is at work, and when after it came that died; 0: it was answered.
func (s server) meets(shot shot) (f fate, given int64, died time.Duration) {
	given = 1_000_000
	at := shot.at + s.late
	f = fate{came: given - at.Microseconds()}
	if at+s.lag >= s.handling {
		f.answered = f.came + s.handling.Microseconds()
		return f, given, 0
	}
	f.hit, f.effect = true, at+s.lag >= s.effect
	return f, given, at + s.lag
}

func TestTheSweepLearnsToLand(t *testing.T) {
	t.Parallel()
	const measured, wanted = time.Millisecond, 8
	for name, s := range map[string]server{
		"as measured":              {handling: measured},
		"the kill is late":         {handling: measured, lag: 400 * time.Microsecond},
		"the attempt is early":     {handling: measured, late: 400 * time.Microsecond},
		"both":                     {handling: measured, late: 300 * time.Microsecond, lag: 300 * time.Microsecond},
		"slower than was measured": {handling: 2 * measured, lag: 100 * time.Microsecond},
		"faster than was measured": {handling: 600 * time.Microsecond, lag: 50 * time.Microsecond},
	} {
		s.effect = s.handling * 3 / 4
		for seed := range uint64(20) {
			a := newAim(rand.New(rand.NewPCG(seed, 1)), measured, wanted)
			last := time.Duration(0)
			for a.landed < wanted && a.tried < 2*wanted {
				shot := a.next(1, true)
				f, given, died := s.meets(shot)
				a.learn(shot, []fate{f}, given)
				last = max(last, died)
			}
			if a.landed < 6 {
				t.Errorf("%s, seed %d: only %d of %d tries landed", name, seed, a.landed, a.tried)
			}
			if 2*last < s.handling {
				t.Errorf("%s, seed %d: all kills came in the first half, the last after %v of %v", name, seed, last, s.handling)
			}
		}
	}
}

// Every other kill closes in on the moment from which on the effect is there, wherever in the work that is.
func TestTheSweepClosesInOnTheEffect(t *testing.T) {
	t.Parallel()
	const handling = 100 * time.Millisecond
	for _, share := range []float64{0.2, 0.5, 0.9} {
		near := 0
		for seed := range uint64(20) {
			s := server{handling: handling, effect: time.Duration(share * float64(handling))}
			a := newAim(rand.New(rand.NewPCG(seed, 1)), handling, 16)
			for a.tried < 16 {
				shot := a.next(1, true)
				f, given, died := s.meets(shot)
				a.learn(shot, []fate{f}, given)
				if away := died - s.effect; shot.sides && died > 0 && away.Abs() <= handling/20 {
					near++
				}
			}
		}
		if near < 2*20 {
			t.Errorf("an effect at %.1f of the work: %d of %d kills came within a twentieth of it", share, near, 8*20)
		}
	}
}

// Of several requests that are at work together some are hit after the first answers, and the target is spared where too many
// had begun.
func TestTheSweepOfACrowd(t *testing.T) {
	t.Parallel()
	a := newAim(rand.New(rand.NewPCG(1, 1)), time.Millisecond, 8)
	byAnswers := 0
	for range 8 {
		shot := a.next(crowd, true)
		if shot.answers > 0 {
			byAnswers++
			if shot.answers > firstFew || shot.most < shot.answers || shot.most >= crowd || shot.step < shortest {
				t.Errorf("%+v", shot)
			}
		}
		fates := make([]fate, crowd)
		for i := range fates {
			fates[i] = fate{came: 1000, hit: true}
		}
		a.learn(shot, fates, 3000)
	}
	if byAnswers != 6 || a.landed != 8 {
		t.Errorf("%d of %d kills waited for answers, want 6 of 8", byAnswers, a.landed)
	}
	spared := a.next(crowd, true)
	a.learn(spared, []fate{{came: 1000, answered: 2000}}, 0)
	if a.spared != 1 || a.landed != 8 {
		t.Errorf("a target that was spared: %d spared, %d landed", a.spared, a.landed)
	}
	a.hurried = true
	if shot := a.next(crowd, true); shot.at != 0 || shot.answers != 0 {
		t.Errorf("in a hurry: %+v", shot)
	}
}
