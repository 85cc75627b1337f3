package reports

import (
	"slices"
	"strings"

	"github.com/oncespec/oncespec/scenarios/catalogue"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

// Unlock says how many requirements a setting would add.
type Unlock struct {
	Add          string   `json:"add"` // what to add to the configuration
	Requirements []string `json:"requirements"`
}

// unlock groups the requirements that are assessed on no operation by the setting that would change that.
func unlock(vs []verdict.Verdict) []Unlock {
	done := assessed(vs)
	by, lacking := map[string][]string{}, map[string][]string{}
	for _, v := range vs {
		_, add, found := strings.Cut(v.Detail, catalogue.Add)
		if done[v.ID] || !found {
			continue
		}
		for _, o := range v.Operations {
			if setting, of := strings.CutPrefix(add, "operations."+o+"."); of {
				add = catalogue.AnyOperation + setting
				lacking[add] = appendNew(lacking[add], o)
			}
		}
		by[add] = appendNew(by[add], v.ID)
	}
	var all []Unlock
	for add, ids := range by {
		slices.Sort(ids)
		if setting, of := strings.CutPrefix(add, catalogue.AnyOperation); of {
			add = "operations." + braces(lacking[add]) + "." + setting
		}
		all = append(all, Unlock{Add: add, Requirements: ids})
	}
	slices.SortFunc(all, func(a, b Unlock) int {
		if d := len(b.Requirements) - len(a.Requirements); d != 0 {
			return d
		}
		return strings.Compare(a.Add, b.Add)
	})
	return all
}

func appendNew(list []string, word string) []string {
	if slices.Contains(list, word) {
		return list
	}
	return append(list, word)
}

// braces names one of several, as a shell does: any of them will do.
func braces(words []string) string {
	if len(words) == 1 {
		return words[0]
	}
	return "{" + strings.Join(words, ",") + "}"
}

// Idle is a setting that the target makes no use of, although requirements need it used.
type Idle struct {
	Setting, Why string
	Requirements []string
}

// idle groups the requirements that are assessed on no operation by the setting that is there but unused.
func idle(vs []verdict.Verdict) (all []Idle) {
	done := assessed(vs)
	for _, v := range vs {
		setting, why, found := strings.Cut(v.Detail, catalogue.Unused)
		if !found || done[v.ID] || v.Verdict != verdict.NotAssessed {
			continue
		}
		i := slices.IndexFunc(all, func(x Idle) bool { return x.Setting == setting })
		if i < 0 {
			all, i = append(all, Idle{Setting: setting, Why: why}), len(all)
		}
		all[i].Requirements = appendNew(all[i].Requirements, v.ID)
	}
	return all
}

// Blocked says how many requirements wait for one that does not hold.
type Blocked struct {
	By           string
	Requirements []string
}

// blocked groups the requirements that are assessed on no operation by the premise that failed, the most first.
func blocked(vs []verdict.Verdict) (all []Blocked) {
	done := assessed(vs)
	for _, v := range vs {
		by, found := strings.CutPrefix(v.Detail, catalogue.PremiseFailed)
		if !found || done[v.ID] {
			continue
		}
		i := slices.IndexFunc(all, func(b Blocked) bool { return b.By == by })
		if i < 0 {
			all, i = append(all, Blocked{By: by}), len(all)
		}
		all[i].Requirements = appendNew(all[i].Requirements, v.ID)
	}
	slices.SortStableFunc(all, func(a, b Blocked) int { return len(b.Requirements) - len(a.Requirements) })
	return all
}

// unvaried says, by operation, which places of a request no rewrite changed since others are listed; empty: there are none.
func unvaried(vs []verdict.Verdict) string {
	var all []string
	for _, v := range vs {
		if _, places, found := strings.Cut(v.Detail, catalogue.NotVaried); found {
			all = append(all, strings.Join(v.Operations, ", ")+" "+places)
		}
	}
	return strings.Join(all, "; ")
}
