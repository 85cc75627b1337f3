package race

import (
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/rule"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

// oneEffectRule judges the trials together: any of them may fail, and one that overlapped is enough to pass.
func oneEffectRule(c rule.Case) []rule.Finding { return judged(c, oneEffectOf, "one effect each") }

// oneEffectOf judges by effects. Whether every answer is an allowed one is another requirement, and so is whether the
// result replays; but somebody must have got it.
func oneEffectOf(c rule.Case, h *history.History, intent string) rule.Finding {
	proof := verdict.Weak
	for _, b := range h.Bursts("") {
		if atWork(h, b) > 1 {
			proof = verdict.Strong
		}
	}
	end := c.End(h, intent)
	switch end.How {
	case rule.Duplicated, rule.Vanished, rule.Confused:
		return rule.Fail(proof, "%s: %s", end.How, end.Detail)
	case rule.Unread:
		return rule.Inconclusive(verdict.Environment, "%s", end.Detail)
	case rule.Done:
		return rule.Pass(proof, "%s", end.Detail)
	}
	succeeded, arrived := false, false
	for _, a := range rule.Own(h, intent) {
		succeeded = succeeded || c.Succeeded(a)
		arrived = arrived || a.Link.RequestWhole
	}
	switch {
	case !arrived:
		return rule.Inconclusive(verdict.Environment, "no duplicate reached the target whole")
	case succeeded, end.Effects == 1 && c.Contract.Fidelity.OnlyEffect():
		return rule.Pass(proof, "%s", end.Detail)
	case end.How == rule.Denied && end.Effects == 0:
		return rule.Fail(proof, "none of them was carried out: %s", end.Detail)
	}
	return rule.Fail(proof, "stuck: none of them got the result; %s", end.Detail)
}
