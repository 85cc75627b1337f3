package rule

import (
	"fmt"

	"github.com/oncespec/oncespec/mockapi/contract"
	"github.com/oncespec/oncespec/scenarios/catalogue"
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

// Case is one requirement on one operation, with all that was seen of it.
type Case struct {
	Requirement catalogue.Requirement
	Contract    contract.Contract
	Operation   string
	Histories   []*history.History // of the requirement's scenarios; none is aborted
}

// Finding is what a rule says of a part. Several findings on one part are merged: the worst counts.
type Finding struct {
	Part      string        // empty: the whole requirement
	Level     verdict.Level // empty: the part's or the requirement's
	Outcome   verdict.Outcome
	Proof     verdict.Proof
	Blame     verdict.Blame
	Detail    string
	Histories []string // ids
}

// Rule is a pure function from a case to findings. It says Fail also for a SHOULD: the level is applied by its caller.
type Rule func(Case) []Finding

// Each makes a rule of a judgement on single histories.
func Each(judge func(Case, *history.History) []Finding) Rule {
	return func(c Case) []Finding {
		var all []Finding
		for _, h := range c.Histories {
			for _, f := range judge(c, h) {
				if len(f.Histories) == 0 {
					f.Histories = []string{h.ID}
				}
				all = append(all, f)
			}
		}
		return all
	}
}

// Pass says that the requirement held, and how well it is shown that it was put to the test.
func Pass(p verdict.Proof, format string, args ...any) Finding {
	return Finding{Outcome: verdict.Pass, Proof: p, Detail: fmt.Sprintf(format, args...)}
}

// Fail says that the target broke the requirement.
func Fail(p verdict.Proof, format string, args ...any) Finding {
	return Finding{Outcome: verdict.Fail, Proof: p, Blame: verdict.Target, Detail: fmt.Sprintf(format, args...)}
}

// Inconclusive says that the fault did not land or that the state could not be read; the scenario is tried again.
func Inconclusive(b verdict.Blame, format string, args ...any) Finding {
	return Finding{Outcome: verdict.Inconclusive, Proof: verdict.None, Blame: b, Detail: fmt.Sprintf(format, args...)}
}

// NotAssessed says that the target offers no way to put this to the test.
func NotAssessed(format string, args ...any) Finding {
	return Finding{Outcome: verdict.NotAssessed, Proof: verdict.None, Detail: fmt.Sprintf(format, args...)}
}

// In names the part of a finding.
func (f Finding) In(part string) Finding { f.Part = part; return f }

// Should lowers a finding to a SHOULD.
func (f Finding) Should() Finding { f.Level = verdict.Should; return f }

// At names the histories of a finding, the most telling first.
func (f Finding) At(ids ...string) Finding { f.Histories = ids; return f }

// IDs are the ids of the case's histories.
func (c Case) IDs() []string {
	var all []string
	for _, h := range c.Histories {
		all = append(all, h.ID)
	}
	return all
}

// Class names what the attempt's answer means under the case's contract.
func (c Case) Class(a *history.Attempt) contract.Class { return c.Contract.Classify(a.Exchange()) }

// Succeeded tells whether the attempt was answered with a result, first or replayed.
func (c Case) Succeeded(a *history.Attempt) bool {
	return c.Class(a).Success()
}

// Says describes an attempt's outcome in a few words: "201", "409 in-flight", "lost".
func (c Case) Says(a *history.Attempt) string {
	switch {
	case a == nil:
		return "was not sent"
	case a.Outcome != history.Answered || a.Answer == nil:
		return a.Outcome
	}
	return fmt.Sprintf("%d %s", a.Answer.Status, c.Class(a))
}
