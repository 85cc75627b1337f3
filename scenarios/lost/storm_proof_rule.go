package lost

import (
	"fmt"
	"slices"

	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/rule"
	"github.com/oncespec/oncespec/scenarios/storm"
)

// stormLanded sums up the proofs that the storm was one, or says what is missing: of each kind of fault that attempts were sent
// with one has to have landed, of all of them half, every blow has to have struck attempts under way, and clients have to have
// been at it together.
func stormLanded(h *history.History) (landed, missing string) {
	if h.Storm.Schedule == nil || len(h.Attempts(labelCall)) == 0 {
		return "", "no attempt was sent"
	}
	sent, did := map[storm.Kind]int{}, map[storm.Kind]int{}
	all, landedInAll := 0, 0
	for _, p := range planned(h) {
		sent[p.kind]++
		all++
		if faultMissing(p.kind, p.attempt) == "" {
			did[p.kind]++
			landedInAll++
		}
	}
	for _, kind := range storm.Faults {
		if sent[kind] > 0 && did[kind] == 0 {
			return "", fmt.Sprintf("of %d attempts whose fault was %q none suffered it", sent[kind], kind)
		}
	}
	if 2*landedInAll < all {
		return "", fmt.Sprintf("of %d faults only %d landed", all, landedInAll)
	}
	for i, b := range h.Storm.Schedule.Blows {
		if missing := blowMissing(h, b.Kind, nth(h.Storm.Schedule.Blows[:i], b.Kind)); missing != "" {
			return "", missing
		}
	}
	together := mostTogether(h)
	if h.Storm.Schedule.Clients() > 1 && together < 2 {
		return "", "no two attempts were under way at once; does limits.rate allow it?"
	}
	return fmt.Sprintf("%d of %d faults and %s landed, at most %d attempts at once", landedInAll, all,
		rule.Plural(len(h.Storm.Schedule.Blows), "blow"), together), ""
}

// plan is an attempt and the fault that its schedule had for it.
type plan struct {
	attempt *history.Attempt
	kind    storm.Kind
}

func planned(h *history.History) (list []plan) {
	tries := map[int][]*history.Attempt{}
	for _, a := range h.Attempts() {
		if a.Call > 0 && a.Call <= len(h.Storm.Schedule.Calls) {
			tries[a.Call] = append(tries[a.Call], a)
		}
	}
	for i, call := range h.Storm.Schedule.Calls {
		mine := tries[i+1]
		slices.SortFunc(mine, func(a, b *history.Attempt) int { return a.ID - b.ID })
		n := 0
		for at, a := range mine {
			if n == len(call.Faults) {
				break
			}
			if !spent(a) && at+1 < len(mine) {
				continue // the next attempt was sent with the same fault
			}
			if kind := call.Faults[n].Kind; kind != storm.None {
				list = append(list, plan{a, kind})
			}
			n++
		}
	}
	return list
}

// spent tells whether an attempt used up the fault it was sent with. It did not where there was nothing for the fault to act
// on: the target was down, or went down before it answered. The client's next attempt then gets the fault; otherwise a kill,
// which ends everything under way, would leave a small storm without faults.
func spent(a *history.Attempt) bool {
	return a.Outcome == history.Answered || a.Link.Cut || a.Link.Held
}

// faultMissing says what is missing of the proof that an attempt suffered its fault.
func faultMissing(kind storm.Kind, a *history.Attempt) string {
	switch kind {
	case storm.Drop, storm.Reset:
		return rule.NotLost(a)
	case storm.Gateway:
		return answerReplaced(a)
	}
	if missing := rule.NotWhole(a); missing != "" {
		return missing
	}
	switch {
	case a.Link.ResponseBytes == 0:
		return "the target began no answer"
	case kind == storm.Cut && (!a.Link.Cut || a.Outcome != history.Lost):
		return "the answer was not cut"
	case kind == storm.Delay && !a.Link.Held:
		return "the answer was not kept back"
	}
	return ""
}

// blowMissing says what is missing of the proof that the n-th blow of a kind struck a target at work.
func blowMissing(h *history.History, kind storm.Kind, n int) string {
	then := map[storm.Kind]string{storm.Kill: history.FaultRestart, storm.Pause: history.FaultResume}[kind]
	before, at, struck, seen := int64(0), int64(0), false, 0
	for _, e := range h.Events {
		switch {
		case e.Fault == nil:
		case e.Fault.Kind == string(kind):
			if seen == n {
				at, struck = e.At, e.Fault.Landed
			}
			seen++
		case e.Fault.Kind == then && struck:
			switch {
			case !e.Fault.Landed:
				return fmt.Sprintf("after the %s there was no %s: %s", kind, then, e.Fault.Detail)
			case kind == storm.Kill && !died(h, before, e.At), kind == storm.Pause && !stood(h, at, e.At):
				return fmt.Sprintf("the %s struck a target that nobody had asked anything", kind)
			}
			return ""
		default:
			before = e.At
		}
	}
	return fmt.Sprintf("the %s did not strike", kind)
}

// died tells whether an attempt ended with the target, between two moments: it got no answer, and nothing was done to its own
// connection.
func died(h *history.History, from, to int64) bool {
	return slices.ContainsFunc(h.Attempts(), func(a *history.Attempt) bool {
		return a.Outcome == history.Lost && a.Link.RequestBytes > 0 && !a.Link.Cut && a.Ended >= from && a.Began <= to
	})
}

// stood tells whether an attempt was under way between two moments.
func stood(h *history.History, from, to int64) bool {
	return slices.ContainsFunc(h.Attempts(), func(a *history.Attempt) bool {
		return a.Link.RequestBytes > 0 && a.Ended >= from && a.Began <= to
	})
}

func nth(before []storm.Blow, kind storm.Kind) (n int) {
	for _, b := range before {
		if b.Kind == kind {
			n++
		}
	}
	return n
}

// mostTogether is how many attempts of the storm itself were under way at one moment, at most.
func mostTogether(h *history.History) (most int) {
	type edge struct {
		at int64
		by int
	}
	var edges []edge
	for _, a := range h.Attempts(labelCall, labelChanged) {
		if a.Link.Reached {
			edges = append(edges, edge{a.Began, 1}, edge{a.Ended, -1})
		}
	}
	slices.SortFunc(edges, func(a, b edge) int {
		if a.at != b.at {
			return int(a.at - b.at)
		}
		return a.by - b.by // ends come first: an attempt that began as another ended did not overlap it
	})
	now := 0
	for _, e := range edges {
		now += e.by
		most = max(most, now)
	}
	return most
}
