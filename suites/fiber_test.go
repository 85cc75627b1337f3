package suites_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/oncespec/oncespec/faults/needtest"
	"github.com/oncespec/oncespec/reports"
	"github.com/oncespec/oncespec/scenarios/target/config"
	"github.com/oncespec/oncespec/scenarios/verdict"
	"github.com/oncespec/oncespec/suites"
)

var update = flag.Bool("update", false, "rewrite the list of verdicts on real input")

// TestFiberOrders runs everything against real input: an order API behind somebody else's idempotency middleware, with the
// configuration that a team would write for it. The list of verdicts is committed; what we saw by hand is asserted by name.
func TestFiberOrders(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("a whole run that is of interest for its target: a short run has that of TestCorrectMockFailsNothing")
	}
	dir := filepath.Join("testdata", "fiber-orders")
	binary := buildFiberOrders(t, dir)
	file := filepath.Join(dir, "oncespec.yaml")
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	cfg, err := config.Parse(file, data, func(name string) (string, bool) {
		if name == "FIBER_ORDERS" {
			return binary, true
		}
		return os.LookupEnv(name)
	})
	if err != nil {
		t.Fatal(err)
	}
	report := finished(t, suites.Options{Config: cfg, Out: t.TempDir()})
	if report.Result != reports.NotConformant {
		t.Errorf("%s, want %s", report.Result, reports.NotConformant)
	}
	for _, f := range []struct {
		fact, name, operation string
		want                  verdict.Outcome
		says                  string
	}{
		{"a changed payload is answered with the old 201", "conflict/refused", "create-order", verdict.Fail, "201 result with the first one's answer"},
		{"a changed payload is answered with the old 201", "conflict/refused", "create-refund", verdict.Fail, "201 result with the first one's answer"},
		{"… but it is not executed", "conflict/no-effect", "create-order", verdict.Pass, ""},
		{"another principal receives the stored answer", "key/other-principal", "create-order", verdict.Fail, "it names the first one's resource order-"},
		{"another route receives the stored answer", "key/other-operation", "create-order", verdict.Fail, "it names the first one's resource order-"},
		{"another route receives the stored answer", "key/other-operation", "create-refund", verdict.Fail, "it names the first one's resource refund-"},
		{"duplicates make one effect", "race/one-effect", "create-order", verdict.Pass, ""},
		{"duplicates wait", "race/in-flight", "create-order", verdict.Pass, "waited for the first"},
		{"a retry makes no second effect", "replay/one-effect#resource", "create-order", verdict.Pass, ""},
		{"a lost answer is replayed", "lost/response", "create-order", verdict.Pass, ""},
		{"after a kill the retry makes a second effect", "crash/durable", "create-order", verdict.Fail, "http shows 2 effects for one intent"},
		{"killed in mid-work the retry makes a second effect", "crash/after-effect", "create-order", verdict.Fail, "http shows 2 effects for one intent"},
		{"an explicit 500 is replayed", "failure/stored#5xx", "create-order", verdict.Pass, "it is kept"},
		{"a returned error is run again", "failure/stored#5xx", "create-refund", verdict.Pass, "it is not kept"},
	} {
		v := find(report, f.name, f.operation)
		if v.Verdict != f.want || !strings.Contains(v.Detail, f.says) {
			t.Errorf("%s: %s on %s is %q (%s), want %s with %q", f.fact, f.name, f.operation, v.Verdict, v.Detail, f.want, f.says)
		}
	}
	compare(t, filepath.Join(dir, "verdicts.txt"), list(report))
}

// buildFiberOrders builds the API, a Go module of its own so that the product's stays lean. Only where its modules cannot be
// fetched is it left out, and not even there where it is required.
func buildFiberOrders(t *testing.T, dir string) string {
	t.Helper()
	command := func(args ...string) ([]byte, error) {
		cmd := exec.CommandContext(t.Context(), "go", args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=readonly")
		return cmd.CombinedOutput()
	}
	if out, err := command("mod", "download"); err != nil {
		needtest.Have(t, "fiber", fmt.Errorf("the modules of %s cannot be fetched: %w\n%s", dir, err, out))
	}
	binary := filepath.Join(t.TempDir(), "fiber-orders")
	if out, err := command("build", "-o", binary, "."); err != nil {
		t.Fatalf("go build in %s: %v\n%s", dir, err, out)
	}
	return binary
}

// find returns the verdict of a name on an operation, or one that says nothing.
func find(r *reports.Report, name, operation string) verdict.Verdict {
	for _, v := range r.Verdicts {
		if v.Name() == name && slices.Contains(v.Operations, operation) {
			return v
		}
	}
	return verdict.Verdict{}
}

// list is a line a verdict, in an order of its own: what is drawn by the seed may come in any.
func list(r *reports.Report) string {
	var lines []string
	for _, v := range r.Verdicts {
		lines = append(lines, fmt.Sprintf("%-52s %-14s %s\n", v.Name(), strings.Join(v.Operations, ","), v.Verdict))
	}
	slices.Sort(lines)
	return strings.Join(lines, "")
}

func compare(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	golden, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Equal(golden, []byte(got)) {
		return
	}
	want := strings.SplitAfter(string(golden), "\n")
	have := strings.SplitAfter(got, "\n")
	for _, line := range want {
		if !slices.Contains(have, line) {
			t.Errorf("expected: %s", line)
		}
	}
	for _, line := range have {
		if !slices.Contains(want, line) {
			t.Errorf("found:    %s", line)
		}
	}
	t.Errorf("the verdicts differ from %s; go test ./suites -run TestFiberOrders -update rewrites it", path)
}
