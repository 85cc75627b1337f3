package suites

import (
	"strings"

	"github.com/oncespec/oncespec/reports"
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/run"
)

// Plays are what became of a schedule each time that it was played again; none where nothing was.
func Plays(p *run.Plan, hs []*history.History) (plays []reports.Play) {
	for _, s := range run.Storms(p, hs) {
		if s.Again() {
			detail, _, _ := strings.Cut(s.Verdict.Detail, "; `oncespec replay`") // that is what was done
			plays = append(plays, reports.Play{Verdict: s.Verdict.Verdict, Detail: detail, History: s.History.ID})
		}
	}
	return plays
}
