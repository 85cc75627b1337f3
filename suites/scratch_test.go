package suites_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/oncespec/oncespec/mockapi/store/storetest"
	"github.com/oncespec/oncespec/scenarios/run"
	"github.com/oncespec/oncespec/suites"
)

func TestScratch(t *testing.T) {
	location := storetest.Schema(t)
	self, _ := os.Executable()
	cfg, err := suites.MockOn(location, []string{self, asMock}, os.Getenv("MUTANT"))
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	ops := []string{"create-ticket"}
	if o := os.Getenv("OPS"); o != "" {
		ops = strings.Split(o, ",")
	}
	out := "/tmp/w/crash-out"
	os.RemoveAll(out)
	if err := run.Prepare(out); err != nil {
		t.Fatal(err)
	}
	report, err := suites.Execute(t.Context(), suites.Options{Config: cfg, Selection: run.Selection{Requirements: strings.Split(os.Getenv("REQ"), ","), Operations: ops}, Out: out})
	if err != nil {
		t.Fatal(err)
	}
	t.Log(report.Problem, time.Since(began))
	for _, v := range report.Verdicts {
		t.Log(v.Operations, v.Name(), v.Verdict, v.Proof, v.Detail)
	}
}
