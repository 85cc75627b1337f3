package run

import (
	"path/filepath"
	"strings"

	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

// Storm is one playing of a schedule, judged by itself.
type Storm struct {
	History *history.History
	Verdict verdict.Verdict
}

// Again tells whether it is one that replay played.
func (s Storm) Again() bool { return strings.HasPrefix(s.History.Trial, "replay ") }

// Schedule is where its schedule stands in the output folder.
func (s Storm) Schedule(dir string) string {
	return filepath.Join(dir, StormsDir, s.History.ID, "schedule.json")
}

// Storms are all that was played in a run, in the order of the histories.
func Storms(p *Plan, hs []*history.History) (all []Storm) {
	rules := rules()
	for _, h := range hs {
		if h.Storm == nil || h.Storm.Schedule == nil {
			continue
		}
		for _, c := range p.Checks {
			if c.Requirement != h.Scenario || len(h.Operations) == 0 || c.Operation != h.Operations[0] {
				continue
			}
			all = append(all, Storm{h, judgeCheck(p, c, []*history.History{h}, rules)[0]})
		}
	}
	return all
}
