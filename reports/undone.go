package reports

import (
	"fmt"
	"slices"
	"strings"

	"github.com/oncespec/oncespec/scenarios/catalogue"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

// Undone is why scenarios did not run, or not to their end, and how many verdicts are open for it, by pack.
type Undone struct {
	Why, What string
	Of        int
	Packs     []packCount
}

type packCount struct {
	Pack string
	Of   int
}

// undone groups the verdicts that are open only since nothing was done, by the reason: they have no more to say each by itself.
func undone(vs []verdict.Verdict) (all []Undone) {
	for _, v := range vs {
		what, why := left(v)
		if what == "" {
			continue
		}
		i := slices.IndexFunc(all, func(u Undone) bool { return u.What == what && u.Why == why })
		if i < 0 {
			i, all = len(all), append(all, Undone{What: what, Why: why})
		}
		all[i].Of++
		pack, _, _ := strings.Cut(v.ID, "/")
		p := slices.IndexFunc(all[i].Packs, func(c packCount) bool { return c.Pack == pack })
		if p < 0 {
			p, all[i].Packs = len(all[i].Packs), append(all[i].Packs, packCount{Pack: pack})
		}
		all[i].Packs[p].Of++
	}
	return all
}

// left tells of a verdict that is open since its scenario did not run, or was broken off, which of the two, and why.
func left(v verdict.Verdict) (what, why string) {
	if v.Verdict != verdict.Inconclusive {
		return "", ""
	}
	if why, is := strings.CutPrefix(v.Detail, catalogue.NotRun); is {
		why, _, _ = strings.Cut(strings.TrimPrefix(why, ": "), " (") // which the report tells as its problem
		return "was not run", why
	}
	if why, is := strings.CutPrefix(v.Detail, catalogue.BrokenOff); is {
		why, _, _ = strings.Cut(strings.TrimPrefix(why, ": "), " (and in ")
		return "was broken off", why
	}
	return "", ""
}

func isLeft(v verdict.Verdict) bool {
	what, _ := left(v)
	return what != ""
}

// String says it on one line.
func (u Undone) String() string {
	var packs []string
	for _, p := range u.Packs {
		packs = append(packs, fmt.Sprintf("%s %d", p.Pack, p.Of))
	}
	text := plural(u.Of, "verdict") + " on what " + u.What
	if u.Why != "" {
		text += ", since " + u.Why
	}
	return text + " (" + strings.Join(packs, ", ") + ")"
}
