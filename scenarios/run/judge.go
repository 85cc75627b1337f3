package run

import (
	"fmt"
	"slices"
	"strings"

	"github.com/oncespec/oncespec/scenarios/catalogue"
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/rule"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

// Judge gives the verdicts on every check of a plan, from the stored histories and nothing else. It is pure: the same files
// give the same verdicts, byte for byte.
func Judge(p *Plan, hs []*history.History) []verdict.Verdict {
	rules := rules()
	var all []verdict.Verdict
	for _, c := range p.Checks {
		others, none := p.elsewhere(c)
		switch {
		case none:
		case others:
			all = append(all, left(p, c))
		default:
			all = append(all, judgeCheck(p, c, hs, rules)...)
		}
	}
	return applyPremises(all)
}

// left is the verdict of a shard on what it cannot judge by its own histories.
func left(p *Plan, c Check) verdict.Verdict {
	r, _ := catalogue.Find(c.Requirement)
	return complete(p, r, c, rule.NotAssessed("shard %s has only some of the histories that it is judged by: merge the shards", p.Shard))
}

// judgeStep judges requirements by the histories of one step, without premises, as soon as it ran.
func judgeStep(p *Plan, operation string, requirements []string, hs []*history.History) []verdict.Verdict {
	rules := rules()
	var all []verdict.Verdict
	for _, id := range requirements {
		r, _ := catalogue.Find(id)
		all = append(all, judgeCheck(p, Check{Requirement: id, Operation: operation, Skip: p.lacks(operation, r.Needs)}, hs, rules)...)
	}
	return all
}

func judgeCheck(p *Plan, c Check, hs []*history.History, rules map[string]rule.Rule) []verdict.Verdict {
	r, found := catalogue.Find(c.Requirement)
	one := func(f rule.Finding) []verdict.Verdict { return []verdict.Verdict{complete(p, r, c, f)} }
	if !found || rules[r.ID] == nil {
		r.ID = c.Requirement
		return one(rule.Finding{Outcome: verdict.Error, Blame: verdict.Harness, Detail: "this version knows no such requirement"})
	}
	if c.Skip != "" {
		return one(rule.NotAssessed("%s", c.Skip))
	}
	last, earlier := tries(relevant(r, c.Operation, hs))
	sound, aborted := split(last)
	if len(last) == 0 {
		if why := p.ended(c); why != "" {
			return one(rule.Inconclusive(verdict.Environment, "%s: %s", catalogue.NotRun, why))
		}
		return one(rule.Inconclusive(verdict.Harness, catalogue.NotRun))
	}
	var findings []rule.Finding
	if len(sound) > 0 {
		findings = apply(rules[r.ID], rule.Case{Requirement: r, Contract: p.Contract, Operation: c.Operation, Histories: sound})
	}
	// A scenario is tried again when its fault did not land. A fail of an earlier try still stands.
	earlier, _ = split(earlier)
	for _, h := range earlier {
		for _, f := range apply(rules[r.ID], rule.Case{Requirement: r, Contract: p.Contract, Operation: c.Operation, Histories: []*history.History{h}}) {
			if f.Outcome == verdict.Fail {
				findings = append(findings, f)
			}
		}
	}
	return merge(p, r, c, findings, append(sound, earlier...), aborted)
}

// apply calls the rule; a rule that panics is our error, not the target's.
func apply(r rule.Rule, c rule.Case) (findings []rule.Finding) {
	defer func() {
		if e := recover(); e != nil {
			findings = []rule.Finding{{Outcome: verdict.Error, Blame: verdict.Harness, Detail: fmt.Sprintf("the rule broke: %v", e), Histories: ids(c.Histories)}}
		}
	}()
	return weakened(c.Histories, excused(c, r(c)))
}

func relevant(r catalogue.Requirement, operation string, hs []*history.History) []*history.History {
	var mine []*history.History
	for _, h := range hs {
		if len(h.Operations) > 0 && h.Operations[0] == operation &&
			(slices.Contains(r.Scenarios, "*") || slices.Contains(r.Scenarios, h.Scenario)) {
			mine = append(mine, h)
		}
	}
	return mine
}

func split(hs []*history.History) (sound, aborted []*history.History) {
	for _, h := range hs {
		if h.Aborted != "" {
			aborted = append(aborted, h)
		} else {
			sound = append(sound, h)
		}
	}
	return sound, aborted
}

// tries tells the histories of each scenario's last try from the earlier ones.
func tries(hs []*history.History) (last, earlier []*history.History) {
	newest := map[string]int{}
	for _, h := range hs {
		newest[h.Scenario] = max(newest[h.Scenario], h.Tries)
	}
	for _, h := range hs {
		if h.Tries == newest[h.Scenario] {
			last = append(last, h)
		} else {
			earlier = append(earlier, h)
		}
	}
	return last, earlier
}

// merge makes one verdict a part: the worst finding counts, and among fails the smallest history comes first. A procedure
// that was aborted has not put the whole requirement to the test: that is never a pass.
func merge(p *Plan, r catalogue.Requirement, c Check, findings []rule.Finding, hs, aborted []*history.History) []verdict.Verdict {
	size := map[string]int{}
	for _, h := range hs {
		size[h.ID] = len(h.Events)
	}
	var parts []string
	by := map[string][]rule.Finding{}
	for _, part := range r.Parts {
		parts = append(parts, part.ID)
	}
	for _, f := range findings {
		if !slices.Contains(parts, f.Part) {
			parts = append(parts, f.Part)
		}
		by[f.Part] = append(by[f.Part], f)
	}
	if len(parts) == 0 {
		parts = []string{""}
	}
	var verdicts []verdict.Verdict
	for _, part := range parts {
		fs := by[part]
		if len(fs) == 0 {
			fs = []rule.Finding{silent(p, r, c, part)}
		}
		for _, h := range aborted {
			fs = append(fs, rule.Inconclusive(verdict.Blame(h.Blame), "%s", h.Aborted).In(part).At(h.ID))
		}
		verdicts = append(verdicts, complete(p, r, c, worst(fs, size)))
	}
	return verdicts
}

// silent stands for a declared part that the rule said nothing of.
func silent(p *Plan, r catalogue.Requirement, c Check, id string) rule.Finding {
	f := rule.NotAssessed("the histories say nothing about it")
	for _, part := range r.Parts {
		if part.ID == id {
			if why := p.lacks(c.Operation, part.Needs); why != "" {
				f = rule.NotAssessed("%s", why)
			}
		}
	}
	return f.In(id)
}

// rank orders outcomes: the worst first.
var rank = map[verdict.Outcome]int{verdict.Fail: 0, verdict.Error: 1, verdict.Inconclusive: 2, verdict.Warn: 3, verdict.Pass: 4, verdict.NotAssessed: 5}

var strength = map[verdict.Proof]int{verdict.None: 0, verdict.Weak: 1, verdict.Strong: 2}

func worst(fs []rule.Finding, size map[string]int) rule.Finding {
	slices.SortStableFunc(fs, func(a, b rule.Finding) int {
		if d := rank[a.Outcome] - rank[b.Outcome]; d != 0 {
			return d
		}
		return smallest(a, size) - smallest(b, size)
	})
	w := fs[0]
	for _, f := range fs[1:] {
		if f.Outcome != w.Outcome {
			continue
		}
		if w.Outcome == verdict.Pass && strength[f.Proof] < strength[w.Proof] {
			w.Proof = f.Proof // a pass is as well proven as its weakest trial
		}
		for _, h := range f.Histories {
			if !slices.Contains(w.Histories, h) {
				w.Histories = append(slices.Clone(w.Histories), h)
			}
		}
	}
	if same := count(fs, w.Outcome); same > 1 && w.Outcome != verdict.Pass && w.Outcome != verdict.NotAssessed {
		w.Detail = fmt.Sprintf("%s (and in %d more)", w.Detail, same-1)
	}
	return w
}

func count(fs []rule.Finding, o verdict.Outcome) (n int) {
	for _, f := range fs {
		if f.Outcome == o {
			n++
		}
	}
	return n
}

func smallest(f rule.Finding, size map[string]int) int {
	if len(f.Histories) == 0 {
		return 0
	}
	return size[f.Histories[0]]
}

func complete(p *Plan, r catalogue.Requirement, c Check, f rule.Finding) verdict.Verdict {
	v := verdict.Verdict{ID: r.ID, Part: f.Part, Level: f.Level, Operations: []string{c.Operation}, Verdict: f.Outcome,
		Proof: f.Proof, Blame: f.Blame, Detail: f.Detail, Histories: f.Histories}
	if v.Level == "" {
		v.Level = r.Level
		for _, part := range r.Parts {
			if part.ID == f.Part && part.Level != "" {
				v.Level = part.Level
			}
		}
	}
	if v.Verdict == verdict.Fail && v.Level != verdict.Must && !p.Strict {
		v.Verdict = verdict.Warn
	}
	if v.Proof == "" {
		v.Proof = verdict.None
	}
	if len(v.Histories) > 0 {
		v.Scenario = r.Scenarios[0]
		if len(r.Scenarios) > 1 || v.Scenario == "*" {
			v.Scenario = scenarioOf(v.Histories[0], r.Scenarios)
		}
	}
	return v
}

// scenarioOf reads a scenario back from a history's id: "lost-response.create-ticket".
func scenarioOf(id string, candidates []string) string {
	stem, _, _ := strings.Cut(id, ".")
	for _, s := range candidates {
		if strings.ReplaceAll(s, "/", "-") == stem {
			return s
		}
	}
	return strings.Replace(stem, "-", "/", 1)
}

func ids(hs []*history.History) (all []string) {
	for _, h := range hs {
		all = append(all, h.ID)
	}
	return all
}
