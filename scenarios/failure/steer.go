package failure

import (
	"github.com/oncespec/oncespec/mockapi/contract"
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/rule"
	"github.com/oncespec/oncespec/scenarios/target"
)

// inFlight tells whether the caller was told to come back.
func inFlight(s *target.Stage, a *history.Attempt) bool {
	return s.Contract().Classify(rule.Exchange(a)) == contract.InFlightAnswer
}
