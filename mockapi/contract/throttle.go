package contract

import "slices"

const tooManyRequests = 429

// Throttled tells whether an answer only asks to slow down: a 429 that the contract gives no meaning of its own. Whoever sent
// it has not looked at the key, so nothing follows from it.
func (c Contract) Throttled(e Exchange) bool {
	if e.Lost || e.Status != tooManyRequests {
		return false
	}
	for _, on := range []Situation{OnInFlight, OnMismatch, OnOtherOperation, OnMissing, OnMalformed} {
		if slices.Contains(c.Refusal(on).Statuses, tooManyRequests) {
			return false
		}
	}
	return true
}
