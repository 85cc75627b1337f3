package main_test

import (
	"encoding/json"
	"encoding/xml"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// stored is what of report.json these tests look at.
type stored struct {
	Schema   string          `json:"schema"`
	Result   string          `json:"result"`
	Problem  string          `json:"problem"`
	Verdicts json.RawMessage `json:"verdicts"`
	Summary  struct {
		Pass, Fail, Inconclusive, Error int
	} `json:"summary"`
}

// report reads the report.json of an output folder: it has to be whole.
func report(t *testing.T, dir string) stored {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, "report.json"))
	if err != nil {
		t.Fatal(err)
	}
	var r stored
	if err := json.Unmarshal(data, &r); err != nil {
		t.Fatalf("report.json: %v", err)
	}
	if r.Schema != "oncespec.report/v1" {
		t.Errorf("report.json: schema is %q", r.Schema)
	}
	return r
}

// written holds an output folder to what it must hold after every run: all formats and the plan, nothing half-written.
func written(t *testing.T, dir string) {
	t.Helper()
	for _, name := range []string{"report.json", "report.xml", "report.md", "report.html", "plan.json"} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Size() == 0 {
			t.Errorf("%s is missing or empty: %v", name, err)
		}
	}
	if half, _ := filepath.Glob(filepath.Join(dir, "*.tmp")); len(half) > 0 {
		t.Errorf("half-written files: %v", half)
	}
}

// cases counts the elements of report.xml.
func cases(t *testing.T, dir string) (tests, failures, errors int) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, "report.xml"))
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Cases []struct {
			Failure *struct{} `xml:"failure"`
			Error   *struct{} `xml:"error"`
		} `xml:"testsuite>testcase"`
	}
	if err := xml.Unmarshal(data, &doc); err != nil {
		t.Fatalf("report.xml: %v", err)
	}
	for _, c := range doc.Cases {
		tests++
		if c.Failure != nil {
			failures++
		}
		if c.Error != nil {
			errors++
		}
	}
	return tests, failures, errors
}

func TestExit0Conformant(t *testing.T) {
	t.Parallel()
	out := filepath.Join(t.TempDir(), "new", "report")
	for range 2 { // the second run finds the first one's files
		oncespec(t, "run", "-r", "replay/one-effect", "--operation", "create-ticket", "--out", out).want(t, 0).
			says(t, "looking at the steady state of create-ticket", "1/1 replay")
		written(t, out)
		if r := report(t, out); r.Result != "conformant" || r.Summary.Pass == 0 {
			t.Errorf("result %q with %d passes", r.Result, r.Summary.Pass)
		}
	}
}

func TestExit0OnTheConfiguredTarget(t *testing.T) {
	t.Parallel()
	out := t.TempDir()
	e := oncespec(t, "run", "-c", serve(t, nil), "-r", "replay/*", "-r", "conflict/refused", "--out", out).want(t, 0)
	written(t, out)
	if !strings.Contains(e.out, "tickets is conformant") {
		t.Errorf("stdout does not give the result:\n%s", e.out)
	}
}

func TestExit1NotConformant(t *testing.T) {
	t.Parallel()
	out := t.TempDir()
	e := oncespec(t, "run", "--mutant", "mismatch-replays", "-r", "conflict/refused", "--operation", "create-ticket", "--out", out).want(t, 1)
	written(t, out)
	if r := report(t, out); r.Result != "not-conformant" || r.Summary.Fail != 1 {
		t.Errorf("result %q with %d fails", r.Result, r.Summary.Fail)
	}
	if _, failures, errors := cases(t, out); failures != 1 || errors != 0 {
		t.Errorf("report.xml has %d failures and %d errors, want 1 and 0", failures, errors)
	}
	if !strings.Contains(e.out, "fail conflict/refused on create-ticket") {
		t.Errorf("stdout does not name what failed:\n%s", e.out)
	}
	again := "oncespec run --mutant mismatch-replays --seed "
	if all := files(t, out); !strings.Contains(all[filepath.Join(out, "report.md")], again) || !strings.Contains(all[filepath.Join(out, "report.html")], again) {
		t.Errorf("the reports do not name the command that runs it again: %s…", again)
	}
}

func TestExit2Inconclusive(t *testing.T) {
	t.Parallel()
	// Nothing is proven, nothing is disproven.
	out := t.TempDir()
	oncespec(t, "run", "-c", serve(t, shy), "-r", "lost/response", "--out", out).want(t, 2)
	written(t, out)
	if r := report(t, out); r.Result != "inconclusive" || r.Summary.Inconclusive != 1 || r.Summary.Pass != 0 {
		t.Errorf("result %q with %d inconclusive and %d passed verdicts", r.Result, r.Summary.Inconclusive, r.Summary.Pass)
	}
	if tests, failures, errors := cases(t, out); tests != 1 || failures != 0 || errors != 1 {
		t.Errorf("report.xml has %d cases, %d failures, %d errors, want 1, 0, 1", tests, failures, errors)
	}
}

func TestExit3Environment(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { taken.Close() })
	gate := "\n  downstream: {listen: \"" + taken.Addr().String() + "\"}\ncontract:"
	for _, c := range []struct {
		name, config string
		says         []string
	}{
		{"target down", file(t, "oncespec.yaml", tickets("http://"+closedPort(t))), []string{"nobody takes connections", "is it running?"}},
		{"every write refused", serve(t, always(403, "read-only mode")), []string{"writes are refused", "403", "read-only mode", "are the headers in target.tenants ("}},
		{"every write fails", serve(t, always(500, "boom")), []string{"writes are refused", "500"}},
		{"no such path", serve(t, always(404, "what?")), []string{"writes are refused", "404", "method and path in operations.create-ticket.request ("}},
		{"effects cannot be seen", serve(t, blind(0)), []string{"effects cannot be seen", "503"}},
		{"effects can no longer be seen", serve(t, blind(2)), []string{"after replay/again create-ticket: ", "effects cannot be seen", "503"}},
		{"port of the gate taken", file(t, "oncespec.yaml", strings.Replace(tickets("http://"+closedPort(t)), "\ncontract:", gate, 1)), []string{"target.downstream", "in use"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			out := t.TempDir()
			e := oncespec(t, "run", "-c", c.config, "-r", "replay/*", "--out", out).want(t, 3)
			written(t, out)
			r := report(t, out)
			if r.Result != "environment" || r.Summary.Fail != 0 || r.Summary.Pass != 0 {
				t.Errorf("result %q with %d fails and %d passes", r.Result, r.Summary.Fail, r.Summary.Pass)
			}
			for _, text := range c.says {
				if !strings.Contains(r.Problem, text) {
					t.Errorf("the problem does not say %q: %s", text, r.Problem)
				}
			}
			if !strings.Contains(e.out+e.err, r.Problem) {
				t.Errorf("nobody was told the problem:\n%s%s", e.out, e.err)
			}
			if _, failures, errors := cases(t, out); failures != 0 || errors == 0 {
				t.Errorf("report.xml has %d failures and %d errors, want none and some", failures, errors)
			}
		})
	}
}

func TestExit3OutputFolderCannotBeWritten(t *testing.T) {
	t.Parallel()
	for _, out := range []string{filepath.Join(file(t, "plain", "a file"), "below"), "/proc/oncespec-report"} {
		oncespec(t, "run", "-r", "replay/one-effect", "--operation", "create-ticket", "--out", out).want(t, 3).says(t, "output folder", out, "--out")
	}
}

func TestExit3MockPortTaken(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	oncespec(t, "mock", "--listen", taken.Addr().String()).want(t, 3).says(t, taken.Addr().String(), "in use")
	oncespec(t, "mock", "--listen", "127.0.0.1:0", "--db", "/proc/mock.db").want(t, 3).says(t, "/proc/mock.db")
}

func TestExit5OfOurOwn(t *testing.T) {
	t.Parallel()
	// A plan that asks for a requirement which this version does not know is nobody's fault but ours.
	out := t.TempDir()
	oncespec(t, "run", "-c", serve(t, nil), "-r", "replay/one-effect", "--out", out).want(t, 0)
	plan := filepath.Join(out, "plan.json")
	data, err := os.ReadFile(plan)
	if err != nil {
		t.Fatal(err)
	}
	data = []byte(strings.ReplaceAll(string(data), "replay/one-effect", "replay/from-the-future"))
	if err := os.WriteFile(plan, data, 0o644); err != nil {
		t.Fatal(err)
	}
	e := oncespec(t, "judge", out).want(t, 5)
	if !strings.Contains(e.out, "knows no such requirement") {
		t.Errorf("stdout does not say why:\n%s", e.out)
	}
}

func TestWhatTheTargetMayKnowIsNotShown(t *testing.T) {
	t.Parallel()
	const secret = "tok-4f9a1c77e0b25d"
	var seen bool
	cfg := serve(t, func(api http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Authorization") == "Bearer "+secret {
				seen = true
				r.Header.Set("Authorization", "Bearer acme-token")
			}
			w.Header().Set("X-Debug", "caller "+secret) // a target that gives it away itself
			api.ServeHTTP(w, r)
		})
	})
	data, err := os.ReadFile(cfg)
	if err != nil {
		t.Fatal(err)
	}
	cfg = file(t, "oncespec.yaml", strings.Replace(string(data), "Bearer acme-token", `"Bearer ${TICKETS_TOKEN}"`, 1))
	out := t.TempDir()
	p := command(t, "run", "-c", cfg, "-r", "replay/*", "--out", out)
	p.Env = append(p.Env, "TICKETS_TOKEN="+secret)
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	e := p.wait(t).want(t, 0)
	if !seen {
		t.Error("the token was never sent")
	}
	if strings.Contains(e.out+e.err, secret) {
		t.Error("the token was printed")
	}
	for name, data := range files(t, out) {
		if strings.Contains(data, secret) {
			t.Errorf("%s holds the token", name)
		}
	}
}

// files reads a folder, by path.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		all[path] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
