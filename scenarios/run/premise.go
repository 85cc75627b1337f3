package run

import (
	"slices"

	"github.com/oncespec/oncespec/scenarios/catalogue"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

// moot tells whether a premise of every requirement that the step serves, if it serves any, has failed.
func moot(s Step, known []verdict.Verdict) bool {
	broken, wanted := failed(known), slices.Concat(s.Requirements, s.Helps)
	return len(wanted) > 0 && !slices.ContainsFunc(wanted, func(id string) bool { return brokenPremise(id, s.Operation, broken, 0) == "" })
}

// failed is the set of requirements that did not hold, by operation. A refusal with another status than declared, which is
// only a warning inside a MUST, breaks no premise: the request was refused.
func failed(vs []verdict.Verdict) map[string]bool {
	broken := map[string]bool{}
	for _, v := range vs {
		if (v.Verdict == verdict.Fail || v.Verdict == verdict.Warn) && !minor(v) {
			for _, o := range v.Operations {
				broken[v.ID+" "+o] = true
			}
		}
	}
	return broken
}

// minor tells whether a finding weighs less than what it was found about, also where --strict makes a fail of it.
func minor(v verdict.Verdict) bool {
	r, _ := catalogue.Find(v.ID)
	level := r.Level
	for _, part := range r.Parts {
		if part.ID == v.Part && part.Level != "" {
			level = part.Level
		}
	}
	return level == verdict.Must && v.Level != verdict.Must
}

// applyPremises turns verdicts on requirements whose premise did not hold into "not assessed": where a retry makes a second
// effect, nothing that builds on retries can be told, and a report about one defect stays short.
func applyPremises(vs []verdict.Verdict) []verdict.Verdict {
	broken := failed(vs)
	out := make([]verdict.Verdict, len(vs))
	for i, v := range vs {
		out[i] = v
		if v.Verdict == verdict.NotAssessed || len(v.Operations) == 0 {
			continue
		}
		if root := brokenPremise(v.ID, v.Operations[0], broken, 0); root != "" {
			out[i].Verdict, out[i].Proof, out[i].Blame = verdict.NotAssessed, verdict.None, verdict.Nobody
			out[i].Detail = catalogue.PremiseFailed + root
		}
	}
	return out
}

// brokenPremise returns the premise, direct or further down, that did not hold; the deepest one, since it explains the rest.
func brokenPremise(id, operation string, broken map[string]bool, depth int) string {
	r, ok := catalogue.Find(id)
	if !ok || depth > 10 {
		return ""
	}
	for _, p := range r.Premises {
		if root := brokenPremise(p, operation, broken, depth+1); root != "" {
			return root
		}
		if broken[p+" "+operation] {
			return p
		}
	}
	return ""
}
