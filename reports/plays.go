package reports

import (
	"fmt"
	"strings"

	"github.com/oncespec/oncespec/scenarios/verdict"
)

// Play is what became of a schedule one of the times that it was played again.
type Play struct {
	Verdict verdict.Outcome `json:"verdict"`
	Detail  string          `json:"detail,omitempty"`
	History string          `json:"history"`
}

// played sums up the plays: how many ended in which way, the worst first.
func (r *Report) played() string {
	if len(r.Plays) == 0 {
		return ""
	}
	var counts []string
	for _, o := range []verdict.Outcome{verdict.Fail, verdict.Error, verdict.Warn, verdict.Inconclusive, verdict.NotAssessed, verdict.Pass} {
		n := 0
		for _, p := range r.Plays {
			if p.Verdict == o {
				n++
			}
		}
		if n > 0 {
			counts = append(counts, fmt.Sprintf("%d %s", n, o))
		}
	}
	return fmt.Sprintf("played %s: %s", plural(len(r.Plays), "time"), strings.Join(counts, ", "))
}
