package rule

import (
	"fmt"

	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

// Once judges what every fault leads to: that after the retry there is one effect, and that the retry was answered with it.
// missing says which part of the proof that the fault landed on the attempt is absent (empty: none); then there is no pass,
// but a second effect is a fail all the same, however it came about. p is the proof where nothing is missing.
func (c Case) Once(h *history.History, faulted *history.Attempt, missing string, p verdict.Proof) Finding {
	if faulted == nil {
		return Inconclusive(verdict.Harness, "the attempt to be broken was not sent")
	}
	end := c.End(h, faulted.Intent)
	if missing != "" {
		p = verdict.Weak
	}
	switch end.How {
	case Duplicated, Vanished, Confused:
		return Fail(p, "%s: %s", end.How, end.Detail)
	case Unread:
		return Inconclusive(verdict.Environment, "%s", end.Detail)
	}
	switch {
	case missing != "":
		return Inconclusive(verdict.Environment, "the fault did not land: %s", missing)
	case end.Last == faulted:
		return Inconclusive(verdict.Harness, "no retry was sent")
	case end.How == Done:
		return Pass(p, "%s", end.Detail)
	case !end.Last.Link.Reached:
		return Inconclusive(verdict.Environment, "the retry did not reach the target: %s", end.Last.Reason)
	case end.Effects == 1 && c.Contract.Fidelity.OnlyEffect():
		return Pass(p, "%s; the contract promises no more than the effect", end.Detail)
	case end.How == Open:
		return Fail(p, "stuck: %s", end.Detail)
	}
	return Fail(p, "the retry did not get the result: %s", end.Detail)
}

// NotWhole says what is missing of the proof that the target had the whole request; empty if it had.
func NotWhole(a *history.Attempt) (missing string) {
	switch {
	case a == nil:
		return "the attempt was not sent"
	case !a.Link.Reached:
		return "the target was not reached"
	case !a.Link.RequestWhole:
		return fmt.Sprintf("only %d bytes of the request were forwarded", a.Link.RequestBytes)
	}
	return ""
}

// NotLost says what is missing of the proof that the target had answered and the client got nothing of it; empty
// if so.
func NotLost(a *history.Attempt) (missing string) {
	if missing := NotWhole(a); missing != "" {
		return missing
	}
	switch {
	case a.Link.ResponseBytes == 0:
		return "the target began no answer"
	case a.Link.ForwardedBytes > 0 || a.Outcome != history.Lost:
		return "something of the answer reached the client"
	}
	return ""
}
