package suites

import (
	"context"
	"errors"
	"io"
	"sync"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/extensions/globals"
	"github.com/onsi/ginkgo/v2/formatter"

	"github.com/oncespec/oncespec/reports"
	"github.com/oncespec/oncespec/scenarios/run"
	"github.com/oncespec/oncespec/scenarios/target"
)

// one run at a time: Ginkgo keeps one suite a process.
var one sync.Mutex

// Run drives the suite by itself, without a Go test around it, and returns the report; reports are rendered by the caller.
// An error means that nothing could be planned. Ginkgo's own output is silent: Options.Progress tells what goes on.
// It must not be called inside a running Ginkgo suite; use Register there.
func Run(ctx context.Context, o Options) (*reports.Report, error) {
	one.Lock()
	defer one.Unlock()
	globals.Reset()
	s, err := Register(o)
	if err != nil {
		return nil, err
	}
	s.ctx = ctx
	suite, reporter := ginkgo.GinkgoConfiguration()
	suite.FailOnEmpty = true
	suite.RandomizeAllSpecs = false
	suite.Timeout = 0
	suite.GracePeriod = cleanupGrace
	suite.FocusStrings, suite.SkipStrings, suite.LabelFilter = nil, nil, ""
	reporter.NoColor, reporter.Succinct = true, true
	previous := formatter.ColorableStdOut
	formatter.ColorableStdOut = io.Discard
	defer func() { formatter.ColorableStdOut = previous }()
	ginkgo.RunSpecs(&outcome{}, "oncespec", suite, reporter)
	// A user who interrupts again and again makes Ginkgo skip the cleanup; nothing may stay behind all the same.
	closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanupGrace)
	defer cancel()
	return s.told(s.stop(closing))
}

// told is what a run ends with: its report, or what is wrong with the configuration as starting it showed.
func (s *Suite) told(teardown error) (*reports.Report, error) {
	var wrong *target.ConfigurationError
	if errors.As(s.problem, &wrong) {
		return nil, s.problem
	}
	if s.report == nil { // the target never started
		s.report = s.summarise(run.Judge(s.plan, nil), nil)
	}
	if teardown != nil && s.report.Problem == "" {
		s.problem = teardown
		s.report = s.summarise(s.report.Verdicts, s.report.Histories)
	}
	return s.report, nil
}

// outcome takes Ginkgo's word that something failed; the report says what.
type outcome struct{ failed bool }

func (o *outcome) Fail() { o.failed = true }
