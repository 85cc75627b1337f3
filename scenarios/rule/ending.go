package rule

import (
	"fmt"

	"github.com/oncespec/oncespec/mockapi/contract"
	"github.com/oncespec/oncespec/scenarios/history"
)

// Ending is how an intent ended: by what the probes show first, and by what its caller was told second.
type Ending string

// The endings.
const (
	Done       Ending = "done"                       // exactly one effect, and the last answer is its result
	Duplicated Ending = "duplicated"                 // more than one effect, now or at any moment
	Vanished   Ending = "lost an acknowledged write" // answered with a success, but the effect is missing
	Confused   Ending = "answers contradict"         // exactly one effect, but successes name different things
	Open       Ending = "open"                       // at most one effect; the last attempt was lost, unknown or told to wait
	Denied     Ending = "denied"                     // at most one effect; the last answer is a refusal or a failure
	Unread     Ending = "unread"                     // a probe could not be read, so that nobody can tell
)

// End is an ending in detail.
type End struct {
	How     Ending
	Last    *history.Attempt // the latest of the intent's own attempts
	Effects int              // the most that a probe shows at the end
	Detail  string           // for people
}

// Broken tells whether the ending breaks exactly-once, rather than leave it open.
func (e End) Broken() bool { return e.How == Duplicated || e.How == Vanished || e.How == Confused }

// End tells how an intent ended. Only attempts with the intent's own payload and caller count.
func (c Case) End(h *history.History, intent string) End {
	own := Own(h, intent)
	e := End{}
	var acknowledged *history.Attempt
	for _, a := range own {
		if acknowledged == nil && c.Succeeded(a) {
			acknowledged = a
		}
		if e.Last == nil || a.Began >= e.Last.Began {
			e.Last = a
		}
	}
	tooMany, _ := AtMost(h, intent, 1)
	tooFew, unread := "", "nothing was read after its last attempt"
	for i, t := range Afterwards(h, intent) {
		e.Effects = max(e.Effects, t.Last)
		if i == 0 {
			unread = ""
		}
		switch {
		case t.Unread != "":
			unread = fmt.Sprintf("probe %s could not be read: %s", t.Probe, t.Unread)
		case t.Last < 1 && !t.Extra && tooFew == "":
			tooFew = fmt.Sprintf("%s shows no effect", t.Probe)
		}
	}
	contradiction := c.contradiction(h, intent, own)
	last := c.Class(e.Last)
	switch {
	case tooMany != "":
		e.How, e.Detail = Duplicated, tooMany
	case acknowledged != nil && tooFew != "":
		e.How, e.Detail = Vanished, fmt.Sprintf("the %s attempt was answered %s, but %s", acknowledged.Label, c.Says(acknowledged), tooFew)
	case unread != "":
		e.How, e.Detail = Unread, unread
	case acknowledged != nil && contradiction != "":
		e.How, e.Detail = Confused, contradiction
	case last.Success():
		e.How, e.Detail = Done, "one effect, and the last answer is its result: "+c.Says(e.Last)
	case last == contract.Unknown, last == contract.InFlightAnswer:
		e.How, e.Detail = Open, fmt.Sprintf("%s, and the last attempt %s", Plural(e.Effects, "effect"), c.told(e.Last))
	default:
		e.How, e.Detail = Denied, fmt.Sprintf("%s, and the last attempt %s", Plural(e.Effects, "effect"), c.told(e.Last))
	}
	return e
}

// told puts what Says into a sentence: "was answered 409 in-flight", "was lost".
func (c Case) told(a *history.Attempt) string {
	switch {
	case a == nil:
		return "was not sent"
	case a.Outcome != history.Answered || a.Answer == nil:
		return "was " + a.Outcome
	}
	return "was answered " + c.Says(a)
}

// Afterwards sums up what was read of an intent after its last attempt. Probes that no longer speak of it alone, since other
// intents acted, are left out.
func Afterwards(h *history.History, intent string) []Tally {
	last := 0
	for i, e := range h.Events {
		if e.Attempt != nil && e.Attempt.Intent == intent {
			last = i
		}
	}
	return Tallies(&history.History{Events: h.Events[last:]}, intent)
}

// Unseen tells whether no probe speaks of the intent: none of them can tell its effects from those of intents that acted
// meanwhile.
func Unseen(h *history.History, intent string) bool { return len(Tallies(h, intent)) == 0 }

// Own returns the intent's attempts that carry its own payload and come from its own caller, in order.
func Own(h *history.History, intent string) []*history.Attempt {
	in := h.Intent(intent)
	var own []*history.Attempt
	for _, a := range h.AttemptsOf(intent) {
		if a.Variant == "" && (in == nil || a.Tenant == "" || in.Tenant == "" || a.Tenant == in.Tenant) {
			own = append(own, a)
		}
	}
	return own
}

// contradiction finds two successes of one intent that name different results: one names what a probe found, the other has
// another value in that place and does not name it anywhere else. Empty: there is none.
func (c Case) contradiction(h *history.History, intent string, own []*history.Attempt) string {
	for _, t := range Tallies(h, intent) {
		for _, id := range t.IDs {
			for _, first := range own {
				if !c.Succeeded(first) {
					continue
				}
				for _, a := range own {
					if place, other := renamed(first.Answer, a.Answer, id); place != "" && c.Succeeded(a) {
						return fmt.Sprintf("%s shows %s, which the answer to the %s attempt names at %s; the answer to the %s attempt names %s there",
							t.Probe, id, first.Label, place, a.Label, other)
					}
				}
			}
		}
	}
	return ""
}

func renamed(first, second *history.Answer, id string) (place, other string) {
	if first == nil || second == nil || len(Places(second, id)) > 0 {
		return "", ""
	}
	was, is := Leaves(first.Body), Leaves(second.Body)
	for _, at := range Places(first, id) {
		if was[at] == id && is[at] != "" {
			return at, is[at]
		}
		if location := second.Header["Location"]; at == "header Location" && len(location) > 0 {
			return at, location[0]
		}
	}
	return "", ""
}
