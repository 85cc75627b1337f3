package target

import (
	"time"

	"github.com/oncespec/oncespec/mockapi/contract"
)

// expiryMargin is how far from the end of its lifetime a key is still surely remembered.
const expiryMargin = time.Second

// EachBusy calls do for every intent of the stage and of its trials that was still in progress, or told nothing, when one of its
// payloads was last sent: at most atOnce of them at a time, and none whose key may expire meanwhile.
func (s *Stage) EachBusy(atOnce int, do func(trial *Stage, in *Intent)) {
	var busy []*Intent
	of := map[*Intent]*Stage{}
	for _, trial := range s.trials() {
		for _, in := range trial.Intents() {
			if trial.busy(in) && !s.NearlyExpired(in) {
				busy, of[in] = append(busy, in), trial
			}
		}
	}
	ForEach(atOnce, busy, func(in *Intent) { do(of[in], in) })
}

func (s *Stage) busy(in *Intent) bool {
	s.rec.mu.Lock()
	attempts := s.rec.history.AttemptsOf(in.ID)
	s.rec.mu.Unlock()
	last := map[string]contract.Class{} // by payload
	for _, a := range attempts {
		last[a.Variant] = s.Class(a)
	}
	for _, class := range last {
		if class == contract.InFlightAnswer || class == contract.Unknown {
			return true
		}
	}
	return false
}

// NearlyExpired tells whether an intent's key may be forgotten rightly by the time that an attempt sent now reaches the target.
func (s *Stage) NearlyExpired(in *Intent) bool {
	lifetime := s.Contract().Lifetime
	return lifetime > 0 && in.Age()+expiryMargin >= lifetime
}
