package main_test

import (
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/Shopify/toxiproxy/v2"
	"github.com/rs/zerolog"
)

// through is the mock's configuration with a Toxiproxy of somebody else's in front of it.
func through(t *testing.T, url string) string {
	t.Helper()
	text, err := os.ReadFile(mockBy(t, binary))
	if err != nil {
		t.Fatal(err)
	}
	return file(t, "oncespec.yaml", string(text)+"toxiproxy: {url: \""+url+"\"}\n")
}

// TestConformantThroughSomebodyElsesToxiproxy: the mock passes, with weaker proof; what cannot be proven is not assessed, and says
// why. Nothing is left on the server.
func TestConformantThroughSomebodyElsesToxiproxy(t *testing.T) {
	t.Parallel()
	server := toxiproxy.NewServer(toxiproxy.NewMetricsContainer(nil), zerolog.Nop())
	s := httptest.NewServer(server.Routes())
	t.Cleanup(s.Close)
	out := t.TempDir()
	e := oncespec(t, "run", "-c", through(t, s.URL), "--operation", "create-ticket", "--out", out).want(t, 0)
	r := report(t, out)
	if r.Result != "conformant" || r.Summary.Pass == 0 || r.Summary.Inconclusive != 0 {
		t.Errorf("result %q, %+v:\n%s", r.Result, r.Summary, e.out)
	}
	text := files(t, out)[filepath.Join(out, "report.json")]
	for _, words := range []string{"seen through the Toxiproxy at " + s.URL, "nothing shows that a request which is never answered has reached the target"} {
		if !strings.Contains(text, words) {
			t.Errorf("the report does not say %q", words)
		}
	}
	if strings.Contains(text, `"proof": "strong"`) {
		t.Error("a proof is called strong")
	}
	if n := len(server.Collection.Proxies()); n != 0 {
		t.Errorf("%d proxies were left", n)
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
