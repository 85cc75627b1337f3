package rule

import (
	"fmt"
	"slices"
	"strings"

	"github.com/oncespec/oncespec/mockapi/contract"
	"github.com/oncespec/oncespec/scenarios/history"
)

// GivesAway says how the answer a, received by another caller, discloses the answer to the first attempt; empty: it does not.
// The control is an answer to the same payload under a key of its own, or nil: what it has in common with the first answer
// discloses nothing.
func (c Case) GivesAway(h *history.History, first, control, a *history.Attempt) string {
	if first == nil || first.Answer == nil || a == nil || a.Answer == nil {
		return ""
	}
	marked := func(a *history.Attempt) bool { return a != nil && c.Class(a) == contract.Replay }
	if marked(a) && !marked(first) && !marked(control) { // where a first answer is marked too, the marker tells nothing
		return fmt.Sprintf("it is marked as a replay (%s)", c.Contract.Marker.Name)
	}
	if c.Succeeded(a) {
		for _, id := range Identities(h, first) {
			if bothName(first.Answer, a.Answer, id) && (control == nil || !bothName(first.Answer, control.Answer, id)) {
				return "it names the first one's resource " + id
			}
		}
	}
	if c.distinctive(first, control) && sameAnswer(c, first, a) {
		return "it is the first one's answer"
	}
	return ""
}

// distinctive tells whether the first answer differs from the answer to the same payload under another key: an empty answer,
// or one that only says "ok", is the same for everybody.
func (c Case) distinctive(first, control *history.Attempt) bool {
	return first.Answer.Body.Length > 0 && control != nil && control.Answer != nil && c.Succeeded(control) && !sameAnswer(c, first, control)
}

func sameAnswer(c Case, a, b *history.Attempt) bool {
	likeness, _ := CompareBodies(a.Answer.Body, b.Answer.Body, c.Contract.Volatile)
	return likeness == Alike
}

// Identities are the ids of the resources an attempt's intent made, as far as its answer names them and its caller did not
// choose them: such an id in another answer shows that both speak of one resource. An id that was redacted in part is none:
// two of them may look alike.
func Identities(h *history.History, a *history.Attempt) []string {
	var all []string
	for _, o := range h.Observations(a.Intent) {
		for _, id := range o.IDs {
			if o.Kind == history.Resource && !strings.Contains(id, "[redacted]") && !slices.Contains(all, id) && !chosen(a.Request, id) && len(Places(a.Answer, id)) > 0 {
				all = append(all, id)
			}
		}
	}
	return all
}

// chosen tells whether the request names the text already.
func chosen(r history.Request, text string) bool {
	if names(r.URL, text) {
		return true
	}
	for _, field := range r.Header {
		if names(field[1], text) && !strings.EqualFold(field[0], "Content-Length") {
			return true
		}
	}
	tree, ok := parse(r.Body)
	if !ok {
		return names(r.Body.Text, text)
	}
	found := false
	walk(tree, "", func(_, leaf string) { found = found || names(leaf, text) })
	return found
}

// Grew tells whether the target shows more effects of the intent at the later moment than at the earlier one, and whether
// that could be read.
func Grew(h *history.History, intent, earlier, later string) (grew, readable bool) {
	by, readable := Growth(h, intent, earlier, later)
	return by > 0, readable
}

// Growth is how many more effects of the intent the target shows at the later moment than at the earlier one: the largest
// number that any probe says. Resources take precedence, since a value or a downstream call may be the late effect of another
// intent.
func Growth(h *history.History, intent, earlier, later string) (by int, readable bool) {
	for _, kind := range []string{history.Resource, history.Value, history.Ledger} {
		was := map[string]int{}
		for _, o := range h.Observations(intent, earlier) {
			if o.Error == "" && o.Kind == kind {
				was[o.Probe] = o.Count
			}
		}
		for _, o := range h.Observations(intent, later) {
			if n, ok := was[o.Probe]; ok && o.Error == "" {
				readable = true
				by = max(by, o.Count-n)
			}
		}
		if readable {
			return by, true
		}
	}
	return 0, false
}
