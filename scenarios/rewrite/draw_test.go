package rewrite

import (
	"fmt"

	"pgregory.net/rapid"
)

// drawTrial draws one of the rewrites (see Usable), a random A, and a place and choice for the rewrite: what a hand of a Dealer is
// for many rewrites at once. It is false where the rewrite cannot act on the sample.
func drawTrial(t *rapid.T, s *Sample, usable []Rewrite) (Trial, bool) {
	rewrite := rapid.SampledFrom(usable).Draw(t, "rewrite")
	trial := Trial{
		Rewrite: rewrite.ID,
		Choice:  rapid.IntRange(0, 5).Draw(t, "choice"),
	}
	trial.Changes = generate(t, s)
	changed, err := s.With(trial.Changes...)
	if err != nil {
		panic(fmt.Sprintf("rewrite: generated changes do not fit their sample: %v", err))
	}
	sites := rewrite.Sites(changed)
	if len(sites) == 0 { // the changes took away what the rewrite needs
		trial.Changes, sites = nil, rewrite.Sites(s)
	}
	if len(sites) == 0 {
		return Trial{}, false
	}
	trial.Site = rapid.SampledFrom(sites).Draw(t, "site")
	return trial, true
}
