package race

import (
	"strings"

	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/rule"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

func retryAfterRule(c rule.Case, h *history.History) []rule.Finding {
	m, f := meet(c, h)
	if f != nil {
		return one(*f)
	}
	if !toldToComeBack(c, m.duplicate) {
		return one(rule.NotAssessed("the duplicate was not told to come back, but answered %s", c.Says(m.duplicate)))
	}
	for _, v := range m.duplicate.Answer.Header["Retry-After"] {
		if strings.TrimSpace(v) != "" {
			return one(rule.Pass(verdict.Strong, "Retry-After: %s", v))
		}
	}
	if f := c.Contract.InFlight; f.Code != "" && !f.RetryAfter {
		return one(rule.NotAssessed("the refusal %s has no Retry-After; what the contract declares as the sign to come back is its code %s", c.Says(m.duplicate), f.Code))
	}
	if c.Contract.Fidelity.OnlyEffect() {
		return one(rule.NotAssessed("the refusal %s has no Retry-After; the contract promises no more than the effect, so that there is nothing to come back for", c.Says(m.duplicate)))
	}
	return one(rule.Fail(verdict.Strong, "the refusal %s has no Retry-After", c.Says(m.duplicate)))
}
