package main_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/oncespec/oncespec/faults/link/linktest"
)

// through is the mock's configuration with a Toxiproxy of somebody else's in front of it.
func through(t *testing.T, url string, replace ...string) string {
	t.Helper()
	text, err := os.ReadFile(mockBy(t, binary, replace...))
	if err != nil {
		t.Fatal(err)
	}
	return file(t, "oncespec.yaml", string(text)+"toxiproxy: {url: \""+url+"\"}\n")
}

// TestConformantThroughSomebodyElsesToxiproxy: the mock passes, with weaker proof, which says what it goes by. Nothing is left
// on the server.
func TestConformantThroughSomebodyElsesToxiproxy(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		started linktest.Options
		says    string
		packs   []string
	}{
		"as it is started": {linktest.Options{}, "whose limit_data closed the connection", nil},
		"with counters":    {linktest.Options{Counts: true}, "by its own count", []string{"--pack", "lost"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			toxiproxy := linktest.Start(t, c.started)
			out := t.TempDir()
			e := oncespec(t, append([]string{"run", "-c", through(t, toxiproxy.URL), "--operation", "create-ticket", "--out", out}, c.packs...)...).want(t, 0)
			r := report(t, out)
			if r.Result != "conformant" || r.Summary.Pass == 0 || r.Summary.Inconclusive != 0 {
				t.Errorf("result %q, %+v:\n%s", r.Result, r.Summary, e.out)
			}
			text := files(t, out)[filepath.Join(out, "report.json")]
			for _, words := range []string{"seen through the Toxiproxy at " + toxiproxy.URL, c.says} {
				if !strings.Contains(text, words) {
					t.Errorf("the report does not say %q", words)
				}
			}
			if strings.Contains(text, `"proof": "strong"`) {
				t.Error("a proof is called strong")
			}
			for _, id := range []string{"lost/partial-request", "lost/client-gone", "lost/slow-response"} {
				if i := strings.Index(string(r.Verdicts), id); i < 0 || !strings.Contains(string(r.Verdicts)[i:][:400], `"verdict": "pass"`) {
					t.Errorf("%s did not pass: %s", id, r.Verdicts)
				}
			}
			if n := toxiproxy.Proxies(); n != 0 {
				t.Errorf("%d proxies were left", n)
			}
		})
	}
}

// TestExit3ToxiproxyThatDiesMeanwhile: the Toxiproxy is blamed, not the target behind it.
func TestExit3ToxiproxyThatDiesMeanwhile(t *testing.T) {
	t.Parallel()
	made, second := atomic.Int64{}, make(chan struct{})
	toxiproxy := linktest.Start(t, linktest.Options{Front: func(routes http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			routes.ServeHTTP(w, r)
			if r.Method == http.MethodPost && r.URL.Path == "/proxies" && made.Add(1) == 2 {
				close(second) // the target is up, and its steady state is looked at
			}
		})
	}})
	out := t.TempDir()
	p := command(t, "run", "-c", through(t, toxiproxy.URL, "replicas:", "# replicas:"), "--operation", "create-ticket", "--out", out)
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	select {
	case <-second:
	case <-time.After(generous):
		t.Error("the target did not come up")
	}
	toxiproxy.Close()
	toxiproxy.Empty(t)
	p.wait(t).want(t, 3)
	written(t, out)
	if r := report(t, out); !strings.Contains(r.Problem, toxiproxy.URL) || !strings.Contains(r.Problem, "was it stopped?") {
		t.Errorf("the problem: %s", r.Problem)
	}
}

func TestExit3WithoutToxiproxy(t *testing.T) {
	t.Parallel()
	url := "http://" + closedPort(t)
	out := t.TempDir()
	oncespec(t, "run", "-c", through(t, url), "--operation", "create-ticket", "--out", out).want(t, 3)
	written(t, out)
	if r := report(t, out); !strings.Contains(r.Problem, url) || !strings.Contains(r.Problem, "is it running?") {
		t.Errorf("the problem: %s", r.Problem)
	}
}
