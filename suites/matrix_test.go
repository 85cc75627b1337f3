package suites_test

import (
	"context"
	"flag"
	"fmt"
	"os/exec"
	"runtime"
	"slices"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/oncespec/oncespec/mockapi/mutants"
	"github.com/oncespec/oncespec/reports"
	"github.com/oncespec/oncespec/scenarios/catalogue"
	"github.com/oncespec/oncespec/scenarios/run"
	"github.com/oncespec/oncespec/scenarios/storm"
	"github.com/oncespec/oncespec/scenarios/verdict"
	"github.com/oncespec/oncespec/suites"
)

var matrix = flag.String("matrix", "sample", "which mutants to run: sample, full, or a comma-separated list of names")

// repeats is how often the correct mock is run with different seeds by the full matrix.
const repeats = 20

// TestMutantMatrix holds every mutant to what it must and may fail: must ⊆ observed ⊆ must ∪ may, over fails and warnings, per
// requirement and part, on its operation.
func TestMutantMatrix(t *testing.T) {
	t.Parallel()
	for i, m := range mutants.List() {
		if !chosen(i, m.Name) {
			continue
		}
		t.Run(m.Name, func(t *testing.T) {
			t.Parallel()
			hold(t, m, against(t, m.Name, run.Selection{Operations: []string{m.Operation}}))
		})
	}
}

// hold holds a mutant to what it must and may fail.
func hold(t *testing.T, m mutants.Mutant, report *reports.Report) {
	t.Helper()
	observed, doubtful := tell(report)
	for _, must := range m.Must {
		if !observed[must] && doubtful[must] != "" {
			t.Errorf("%s must fail %s, but that is inconclusive: %s", m.Name, must, doubtful[must])
		} else if !observed[must] {
			t.Errorf("%s must fail %s, and does not: %s", m.Name, must, said(report, must))
		}
	}
	for name := range observed {
		if !slices.Contains(m.Must, name) && !may(m, name) {
			t.Errorf("%s may not fail %s: %s", m.Name, name, said(report, name))
		}
	}
	if t.Failed() {
		t.Logf("seed %d; observed: %s", report.Seed, strings.Join(sorted(observed), ", "))
	}
}

// TestCorrectMockFailsNothing is the other promise: no false alarm, whatever the seed.
func TestCorrectMockFailsNothing(t *testing.T) {
	t.Parallel()
	n := 1 // more are run by the full matrix, and one of them under load
	if *matrix == "full" {
		n = repeats
	}
	for i := range n {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			out := t.TempDir()
			failsNothing(t, out)
			if i == 0 {
				holdsWithoutProof(t, out, func(fault string) bool { return strings.HasPrefix(fault, "store-") })
			}
		})
	}
}

// TestCorrectMockFailsNothingUnderLoad keeps every core busy meanwhile.
func TestCorrectMockFailsNothingUnderLoad(t *testing.T) {
	if *matrix != "full" {
		t.Skip("has all cores for itself, -matrix=full runs it; TestCorrectMockFailsNothing runs among others")
	}
	stop := busy(t)
	defer stop()
	failsNothing(t, t.TempDir())
}

// failsNothing leaves the run in a folder.
func failsNothing(t *testing.T, out string) {
	t.Helper()
	report := againstIn(t, out, "", run.Selection{})
	for _, v := range report.Verdicts {
		switch v.Verdict {
		case verdict.Fail, verdict.Warn, verdict.Inconclusive, verdict.Error:
			t.Errorf("%s %s on %s: %s (seed %d)", v.Verdict, v.Name(), v.Operations, v.Detail, report.Seed)
		}
	}
	if report.Assessed.Done != report.Assessed.Of-len(behindStoreLink()) {
		t.Errorf("only %d of %d requirements assessed", report.Assessed.Done, report.Assessed.Of)
	}
}

// behindStoreLink are the requirements that need a database which can be cut off: they are assessed on PostgreSQL.
func behindStoreLink() (ids []string) {
	for _, r := range catalogue.All() {
		if slices.Contains(r.Needs, catalogue.NeedStoreLink) || slices.Contains(r.Needs, catalogue.NeedStoreCut) {
			ids = append(ids, r.ID)
		}
	}
	return ids
}

// TestEveryRequirementIsProven: a requirement that no mutant must fail has never been seen to catch anything.
func TestEveryRequirementIsProven(t *testing.T) {
	t.Parallel()
	proven := map[string]bool{}
	for _, m := range append(mutants.List(), mutants.OnPostgres()...) {
		for _, id := range m.Must {
			requirement, _, _ := strings.Cut(id, "#")
			proven[requirement] = true
		}
	}
	for _, r := range catalogue.All() {
		if !proven[r.ID] {
			t.Errorf("no mutant must fail %s: write one", r.ID)
		}
	}
}

// against runs the built-in mock, or a mutant of it, as a child process of this test binary.
func against(t *testing.T, mutant string, sel run.Selection) *reports.Report {
	t.Helper()
	return againstIn(t, t.TempDir(), mutant, sel)
}

func againstIn(t *testing.T, out, mutant string, sel run.Selection) *reports.Report {
	t.Helper()
	return finished(t, suites.Options{Config: mock(t, mutant), Selection: sel, Out: out,
		Storm: storm.Order{Shrink: time.Millisecond}}) // how small the schedules become that fail is the matter of another test
}

// tell sums up what failed, by name with and without part, and what is inconclusive and why.
func tell(r *reports.Report) (observed map[string]bool, doubtful map[string]string) {
	observed, doubtful = map[string]bool{}, map[string]string{}
	for _, v := range r.Verdicts {
		switch v.Verdict {
		case verdict.Fail, verdict.Warn:
			observed[v.Name()] = true
		case verdict.Inconclusive, verdict.Error:
			doubtful[v.Name()] = v.Detail
		}
	}
	return observed, doubtful
}

// may tells whether the mutant is allowed to fail the name; an id without part allows all of its parts.
func may(m mutants.Mutant, name string) bool {
	id, _, _ := strings.Cut(name, "#")
	return slices.ContainsFunc(m.May, func(x mutants.May) bool { return x.ID == name || x.ID == id })
}

func said(r *reports.Report, name string) string {
	for _, v := range r.Verdicts {
		if v.Name() == name || v.ID == name {
			return fmt.Sprintf("%s, %s", v.Verdict, v.Detail)
		}
	}
	return "no such verdict"
}

func sorted(set map[string]bool) (names []string) {
	for n := range set {
		names = append(names, n)
	}
	sort.Strings(names)
	return names
}

// chosen tells whether the mutant is part of this run. The sample is fixed: every twelfth, and every fourth of those in a short
// run.
func chosen(i int, name string) bool {
	switch *matrix {
	case "full":
		return true
	case "sample":
		return i%12 == 0 && (!testing.Short() || i%48 == 0)
	}
	return slices.Contains(strings.Split(*matrix, ","), name)
}

// busy keeps every core at work until stopped, by processes of their own: goroutines here would starve the harness itself.
func busy(t *testing.T) (stop func()) {
	t.Helper()
	command := self(t, asBurner)
	ctx, cancel := context.WithCancel(context.Background())
	var burners []*exec.Cmd
	for range runtime.NumCPU() {
		burner := exec.CommandContext(ctx, command[0], command[1:]...)
		_, err := burner.StdinPipe() // closed when this process ends: a burner never outlives it
		if err != nil {
			t.Fatal(err)
		}
		if err := burner.Start(); err != nil {
			t.Fatal(err)
		}
		burners = append(burners, burner)
	}
	return func() {
		cancel()
		for _, b := range burners {
			_ = b.Wait() // killed: its exit code says so
		}
	}
}
