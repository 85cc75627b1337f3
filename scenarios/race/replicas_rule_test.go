package race

import (
	"strings"
	"testing"

	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/rule/ruletest"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

// at spreads the duplicates over so many replicas.
func (t trial) at(replicas int) trial {
	for i, a := range t.attempts {
		a.Replica = i % replicas
	}
	return t
}

// inTurn lets each duplicate be answered before the next one comes.
func (t trial) inTurn() trial {
	for i, a := range t.attempts {
		a.Link.LastRequestAt = 1000 + int64(i)*100
		a.Link.FirstByteAt = a.Link.LastRequestAt + 50
	}
	return t
}

// TestReplicas: duplicates have to meet in different instances; one process after the other is no race.
func TestReplicas(t *testing.T) {
	t.Parallel()
	spread := func(held bool, answers ...int) trial {
		return together("race/replicas", "duplicate", "2", held, answers...).at(2)
	}
	for name, c := range map[string]struct {
		h     trial
		want  verdict.Outcome
		proof verdict.Proof
	}{
		"one executes, the other refuses":  {spread(true, 201, 409).retried(201, created).effects(1, "t1"), verdict.Pass, verdict.Strong},
		"one executes, the other waits":    {spread(false, 201, 201).retried(201, created).effects(1, "t1"), verdict.Pass, verdict.Weak},
		"both execute":                     {spread(false, 201, 201).retried(201, created).effects(2, "t1", "t2"), verdict.Fail, verdict.Weak},
		"the retry at the other executes":  {spread(true, 201, 409).retried(201, `{"id":"t2"}`).effects(2, "t1", "t2"), verdict.Fail, verdict.Strong},
		"all at one replica":               {spread(true, 201, 409).at(1).retried(201, created).effects(1, "t1"), verdict.Inconclusive, verdict.None},
		"one after the other":              {spread(false, 201, 201).inTurn().retried(201, created).effects(1, "t1"), verdict.Inconclusive, verdict.None},
		"one after the other, two effects": {spread(false, 201, 201).inTurn().retried(201, created).effects(2, "t1", "t2"), verdict.Fail, verdict.Weak},
		"they did not arrive":              {spread(false, 201, 201).cut().retried(201, created).effects(1, "t1"), verdict.Inconclusive, verdict.None},
		"the other answers nobody":         {spread(false, 201, 0).retried(201, created).effects(1, "t1"), verdict.Inconclusive, verdict.None},
		"the other answers nobody, twice":  {spread(false, 201, 0).retried(201, created).effects(2, "t1", "t2"), verdict.Fail, verdict.Weak},
		"no burst":                         {trial{Builder: together("race/replicas", "x", "0", false).Builder}, verdict.Inconclusive, verdict.None},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := ruletest.Expect(t, Rules(), "race/replicas", c.want, ruletest.IETF(t), c.h.History())
			if f.Proof != c.proof {
				t.Errorf("proof: expected %s, found %s: %s", c.proof, f.Proof, f.Detail)
			}
		})
	}
}

// TestDetectionPowerIsSaid: as far as the bursts were like those that were measured.
func TestDetectionPowerIsSaid(t *testing.T) {
	t.Parallel()
	power := &history.Power{Rung: "barrier", Keys: 1, Requests: 2, Cores: 2, Windows: []history.PowerWindow{
		{US: 10, Rounds: 20, Hits: 10, Overlapped: 10, Floor: 0.302}, {US: 100, Rounds: 20, Hits: 20, Overlapped: 20, Floor: 0.86},
		{US: 1000, Busy: true, Rounds: 4, Floor: 0}}}
	good := func(n int) (hs []*history.History) {
		for range n {
			h := duplicates(false, 201, 409).retried(201, created).effects(1, "t1").History()
			h.Power = power
			hs = append(hs, h)
		}
		return hs
	}
	for name, c := range map[string]struct {
		hs   []*history.History
		want string
	}{
		"one burst": {good(1), "windows of 100 µs or more would have been seen with probability 0.86 or more (1 burst of 1 key, 2 requests each; of the known-racy server 20 of 20 found it)"},
		"two":       {good(2), "windows of 100 µs or more would have been seen with probability 0.98 or more (2 bursts"},
		"many":      {good(10), "windows of 10 µs or more would have been seen with probability 0.97 or more (10 bursts"},
		"busy":      {good(2), "windows spent computing of 1 ms or more would have been seen with probability 0.00 or more"},
		"unmeasured": {func() []*history.History {
			hs := good(1)
			hs[0].Power = &history.Power{Rung: "barrier", Unmeasured: "no reason"}
			return hs
		}(), "detection power: no reason"},
		"one core": {func() []*history.History {
			hs := good(1)
			other := *power
			other.Cores, other.Windows, other.Unmeasured = 1, power.Windows[:2], "busy windows are not assessable on one core"
			hs[0].Power = &other
			return hs
		}(), "of the known-racy server 20 of 20 found it); detection power: busy windows are not assessable on one core"},
		"smaller bursts": {func() []*history.History {
			hs := good(1)
			other := *power
			other.Keys, other.Requests = 10, 20
			hs[0].Power = &other
			return hs
		}(), "no burst here was like those of the measurement, one of which (10 keys, 2 requests each) sees windows of 100 µs with probability 0.86 or more"},
		"another rung": {func() []*history.History {
			hs := good(1)
			other := *power
			other.Rung = "freeze"
			hs[0].Power = &other
			return hs
		}(), "no burst here was like those of the measurement"},
	} {
		f := ruletest.Expect(t, Rules(), "race/one-effect", verdict.Pass, ruletest.IETF(t), c.hs...)
		if !strings.Contains(f.Detail, c.want) {
			t.Errorf("%s: %s", name, f.Detail)
		}
	}
}

// TestDetectionPowerBetweenReplicas: what was measured on one server, where duplicates meet in one process, is not claimed of
// replicas; what was between replicas is.
func TestDetectionPowerBetweenReplicas(t *testing.T) {
	t.Parallel()
	for replicas, c := range map[int]struct{ says, not string }{
		0: {"between replicas would have been seen was not measured", "probability"},
		2: {"measured between 2 replicas on one store, the way to which makes each window longer; windows of 10 µs or more would have been seen with probability 0.99 or more (10 bursts", "not measured"},
	} {
		var hs []*history.History
		for range 10 {
			h := together("race/replicas", "duplicate", "2", false, 201, 409).at(2).retried(201, created).effects(1, "t1").History()
			h.Power = &history.Power{Rung: "barrier", Keys: 1, Requests: 2, Replicas: replicas, Cores: 2,
				Windows: []history.PowerWindow{{US: 10, Rounds: 20, Hits: 20, Overlapped: 20, Floor: 0.86}}}
			hs = append(hs, h)
		}
		f := ruletest.Expect(t, Rules(), "race/replicas", verdict.Pass, ruletest.IETF(t), hs...)
		if !strings.Contains(f.Detail, c.says) || strings.Contains(f.Detail, c.not) {
			t.Error(f.Detail)
		}
	}
}

// TestDetectionPowerBetweenReplicasSaysNothingOfOne: duplicates that went to one server met otherwise.
func TestDetectionPowerBetweenReplicasSaysNothingOfOne(t *testing.T) {
	t.Parallel()
	h := duplicates(false, 201, 409).retried(201, created).effects(1, "t1").History()
	h.Power = &history.Power{Rung: "barrier", Keys: 1, Requests: 2, Replicas: 2, Cores: 2, Windows: []history.PowerWindow{{US: 10, Rounds: 20, Hits: 20, Overlapped: 20, Floor: 0.86}}}
	if f := ruletest.Expect(t, Rules(), "race/one-effect", verdict.Pass, ruletest.IETF(t), h); !strings.Contains(f.Detail, "no burst here was like those of the measurement") {
		t.Error(f.Detail)
	}
}
