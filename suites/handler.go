package suites

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/oncespec/oncespec/scenarios/verdict"
)

// TestHandler runs the requirements that need no process against a handler, for authors of middleware: each requirement is a
// subtest, failed, skipped with the reason, or passed. The configuration's target.url is replaced by the handler's own; a
// lifecycle is not allowed, since a handler cannot be killed.
//
//	cfg, err := config.Parse("orders", []byte(yaml), nil)
//	…
//	suites.TestHandler(t, handler, suites.Options{Config: cfg})
func TestHandler(t *testing.T, h http.Handler, o Options) {
	t.Helper()
	if o.Config == nil {
		t.Fatal("suites.TestHandler: Options.Config is nil: it says which operations to test")
	}
	if o.Config.Target.Lifecycle != nil {
		t.Fatal("suites.TestHandler: target.lifecycle is set, but a handler cannot be killed; remove it, or test the process with Run")
	}
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	cfg := *o.Config
	cfg.Target.URL = server.URL
	o.Config = &cfg
	report, err := Execute(t.Context(), o)
	if err != nil {
		t.Fatalf("oncespec: %v", err)
	}
	if report.Problem != "" {
		t.Fatalf("oncespec: %s", report.Problem)
	}
	for _, v := range report.Verdicts {
		t.Run(v.Name()+" on "+strings.Join(v.Operations, ","), func(t *testing.T) {
			switch v.Verdict {
			case verdict.Fail, verdict.Error:
				t.Errorf("%s: %s (seed %d)", v.Verdict, v.Detail, report.Seed)
			case verdict.Inconclusive:
				if !o.AllowInconclusive {
					t.Errorf("inconclusive: %s (seed %d)", v.Detail, report.Seed)
				}
			case verdict.Warn:
				t.Logf("warning: %s", v.Detail)
			case verdict.NotAssessed:
				t.Skip(v.Detail)
			}
		})
	}
}
