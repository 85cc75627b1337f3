package reports

import (
	"fmt"
	"io"
	"path/filepath"

	"github.com/oncespec/oncespec/scenarios/display"
	"github.com/oncespec/oncespec/scenarios/fuzz"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

// FuzzJUnit writes a suite an operation: a testcase each rewrite, each case of the corpus that fails no more, and the search
// as a whole. What is wrong is <failure>, with the pair; what nobody knows is <error>, what does not apply is <skipped>; a
// warning passes with its text.
func FuzzJUnit(w io.Writer, r *fuzz.Report, rerun []string) error {
	top := suites{Name: "oncespec fuzz " + r.Target, Time: fmt.Sprintf("%.3f", float64(r.DurationMS)/1000)}
	for _, o := range r.Operations {
		top.add(fuzzSuite(r, o, rerun))
	}
	if r.Problem != "" {
		s := suite{Name: "fuzz"}
		s.add(testcase{Name: "the search", Class: "oncespec.fuzz", Error: &message{Message: display.Text(r.Problem), Type: r.Result}})
		top.add(s)
	}
	return top.write(w)
}

func fuzzSuite(r *fuzz.Report, o *fuzz.Operation, rerun []string) suite {
	s := suite{Name: "fuzz " + o.Name}
	class := "oncespec.fuzz." + o.Name
	if o.Premise != "" {
		c := testcase{Name: "an identical retry replays", Class: class}
		m := &message{Message: display.Text(o.Premise), Type: "premise"}
		if c.Error = m; o.Duplicates {
			c.Failure, c.Error = m, nil
		}
		s.add(c)
	}
	for _, row := range o.Rows {
		c := testcase{Name: row.ID, Class: class}
		m := &message{Message: display.Text(row.Detail), Type: string(row.Verdict)}
		pair := ""
		for _, f := range o.Findings {
			if f.Rewrite == row.ID {
				pair += display.Text(fuzzPair(f, r.Seed, rerun, painter(false)))
			}
		}
		switch row.Verdict {
		case verdict.Fail:
			m.Text = pair
			c.Failure = m
		case verdict.Inconclusive, verdict.Error:
			c.Error = m
		case verdict.NotAssessed:
			c.Skipped = m
		case verdict.Warn:
			c.Out = "warning: " + m.Message + "\n" + pair
		}
		s.add(c)
	}
	for _, again := range o.Corpus {
		if again.Verdict != verdict.Fail { // a case that fails is the row of its rewrite
			c := testcase{Name: "case " + filepath.Base(again.File), Class: class, Out: display.Text(again.Detail)}
			if again.Verdict == verdict.NotAssessed {
				c.Skipped, c.Out = &message{Message: display.Text(again.Detail)}, ""
			}
			s.add(c)
		}
	}
	s.add(testcase{Name: "random bodies", Class: class,
		Out: display.Text(fmt.Sprintf("%s, %s, seed %d; %s", plural(o.Pairs, "pair"), plural(o.Requests, "request"), r.Seed, o.Stopped))})
	return s
}
