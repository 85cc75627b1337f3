package race

import (
	"fmt"

	"github.com/oncespec/oncespec/mockapi/contract"
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/rule"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

// answersRule judges the answers to simultaneous duplicates. One connection that breaks without an answer may be the network's
// fault; one in every trial is the target's.
func answersRule(c rule.Case) []rule.Finding {
	var together overlap
	var against, unanswered []rule.Finding
	for _, h := range c.Histories {
		together.add(h)
		lost, wrong := 0, map[string]int{}
		var order []string
		for _, b := range h.Bursts("") {
			for _, a := range burst(h, b) {
				switch problem := answerProblem(c, a); {
				case a.Outcome != history.Answered:
					if a.Link.RequestWhole {
						lost++
					}
				case problem != "":
					if wrong[problem]++; wrong[problem] == 1 {
						order = append(order, problem)
					}
				}
			}
		}
		for _, problem := range order {
			against = append(against, rule.Fail(verdict.Strong, "%d of the duplicates %s", wrong[problem], problem).At(h.ID))
		}
		if lost > 0 {
			unanswered = append(unanswered, rule.Inconclusive(verdict.Environment, "%d of the duplicates got no answer", lost).At(h.ID))
		}
	}
	if len(unanswered) > 1 && len(unanswered)*2 > len(c.Histories) {
		against = append(against, rule.Fail(verdict.Strong, "duplicates got no answer in %d of %d trials; %s",
			len(unanswered), len(c.Histories), unanswered[0].Detail).At(unanswered[0].Histories...))
		unanswered = nil
	}
	if against = append(against, unanswered...); len(against) > 0 {
		return against
	}
	return []rule.Finding{together.passed(c, "all were answered with the result or told to come back")}
}

// answerProblem says what is wrong with the answer to a simultaneous duplicate; empty if nothing is.
func answerProblem(c rule.Case, a *history.Attempt) string {
	if a.Answer == nil {
		return ""
	}
	status, mayRefuse := a.Answer.Status, c.Contract.InFlight.Action != contract.ActionWait
	class := c.Class(a)
	switch {
	case class.Success():
		return ""
	case status == 429:
		return "" // a limit on the rate of requests, whatever they are
	case toldToComeBack(c, a):
		if !mayRefuse {
			return fmt.Sprintf("were told to come back (%d), where the contract lets them wait for the result", status)
		}
		return ""
	}
	if class == contract.Refused && c.Contract.Fidelity == contract.FidelityEffect {
		return "" // only the effect is promised: who comes after the winner may be turned away for good
	}
	return fmt.Sprintf("were answered %s, which is neither the result nor the declared in-flight answer", c.Says(a))
}
