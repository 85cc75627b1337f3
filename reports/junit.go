package reports

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"github.com/oncespec/oncespec/scenarios/display"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

type suites struct {
	XMLName  xml.Name `xml:"testsuites"`
	Name     string   `xml:"name,attr"`
	Tests    int      `xml:"tests,attr"`
	Failures int      `xml:"failures,attr"`
	Errors   int      `xml:"errors,attr"`
	Skipped  int      `xml:"skipped,attr"`
	Time     string   `xml:"time,attr"`
	Suites   []suite  `xml:"testsuite"`
}

type suite struct {
	Name     string     `xml:"name,attr"`
	Tests    int        `xml:"tests,attr"`
	Failures int        `xml:"failures,attr"`
	Errors   int        `xml:"errors,attr"`
	Skipped  int        `xml:"skipped,attr"`
	Cases    []testcase `xml:"testcase"`
}

type testcase struct {
	Name    string   `xml:"name,attr"`
	Class   string   `xml:"classname,attr"`
	Failure *message `xml:"failure"`
	Error   *message `xml:"error"`
	Skipped *message `xml:"skipped"`
	Out     string   `xml:"system-out,omitempty"`
}

type message struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr,omitempty"`
	Text    string `xml:",chardata"`
}

// JUnit writes one testcase a verdict, a suite a pack: fail is <failure>, error and inconclusive are <error>, not assessed is
// <skipped>; a warning passes with its text. A run that could not be made is one failing case of its own.
func JUnit(w io.Writer, r *Report) error {
	top := suites{Name: "oncespec " + r.Target.Name, Time: fmt.Sprintf("%.3f", float64(r.DurationMS)/1000)}
	for _, row := range byPack(r.Verdicts) {
		s := suite{Name: row.Pack}
		for _, v := range r.Verdicts {
			if strings.HasPrefix(v.ID, row.Pack+"/") {
				s.add(junitCase(v))
			}
		}
		top.add(s)
	}
	if r.Problem != "" {
		s := suite{Name: "run"}
		s.add(testcase{Name: "the run", Class: "oncespec", Error: &message{Message: display.Text(r.Problem + r.before()), Type: string(r.Result)}})
		top.add(s)
	}
	return top.write(w)
}

func (t suites) write(w io.Writer) error {
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", "  ")
	if err := e.Encode(t); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

func junitCase(v verdict.Verdict) testcase {
	c := testcase{Name: v.Name() + " on " + strings.Join(v.Operations, ", "), Class: "oncespec." + strings.SplitN(v.ID, "/", 2)[0]}
	m := &message{Message: display.Text(v.Detail), Type: string(v.Verdict), Text: display.Text(facts(v))}
	switch v.Verdict {
	case verdict.Fail:
		c.Failure = m
	case verdict.Inconclusive, verdict.Error:
		c.Error = m
	case verdict.NotAssessed:
		c.Skipped = &message{Message: display.Text(v.Detail)}
	case verdict.Warn:
		c.Out = display.Text("warning: " + v.Detail)
	}
	return c
}

// facts says what the verdict rests on, a line each.
func facts(v verdict.Verdict) string {
	return fmt.Sprintf("level: %s\nproof: %s\nblame: %s\nscenario: %s\nhistories: %s", v.Level, v.Proof, v.Blame, v.Scenario, strings.Join(v.Histories, ", "))
}

func (s *suite) add(c testcase) {
	s.Tests++
	switch {
	case c.Failure != nil:
		s.Failures++
	case c.Error != nil:
		s.Errors++
	case c.Skipped != nil:
		s.Skipped++
	}
	s.Cases = append(s.Cases, c)
}

func (t *suites) add(s suite) {
	t.Tests += s.Tests
	t.Failures += s.Failures
	t.Errors += s.Errors
	t.Skipped += s.Skipped
	t.Suites = append(t.Suites, s)
}
