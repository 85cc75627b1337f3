package main_test

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/oncespec/oncespec/mockapi"
)

// TestClockThatFailsOrHangs: what needs the time to pass is inconclusive, and it is said which hook did not do it. The rest of the
// run is as always.
func TestClockThatFailsOrHangs(t *testing.T) {
	t.Parallel()
	const clock = `clock: {http: {method: POST, path: /clock, body: {advance: "{duration}"}}}`
	for name, c := range map[string]struct{ clock, says string }{
		"fails":             {`clock: {command: "echo no clock for {duration} >&2; exit 3"}`, "exit status 3"},
		"hangs":             {`clock: {command: "sleep 600; echo $DURATION", within: 300ms}`, "still running after 300ms"},
		"refuses":           {`clock: {http: {method: POST, path: /no-such-clock, body: {advance: "{duration}"}}}`, "expected a 2xx answer, found 404"},
		"leaves a child be": {`clock: {command: "sleep 600 & echo $DURATION >&2; exit 4"}`, "exit status 4"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out := t.TempDir()
			p := command(t, "run", "-c", mockBy(t, binary, clock, c.clock), "-r", "replay/one-effect", "-r", "key/retained", "-r", "key/expired", "--operation", "create-ticket", "--out", out)
			if err := p.Start(); err != nil {
				t.Fatal(err)
			}
			if name == "leaves a child be" {
				p.Wait() // what a hook that has ended left in the background is its own
				for _, who := range holding(t, p.tmp) {
					var pid int
					fmt.Sscan(who, &pid)
					if strings.Contains(who, "sleep") {
						if it, err := os.FindProcess(pid); err == nil {
							it.Kill()
						}
					} else {
						t.Errorf("a process was left: %s", who)
					}
				}
			} else {
				p.wait(t).want(t, 2)
			}
			r := report(t, out)
			if r.Summary.Fail != 0 || r.Summary.Inconclusive == 0 || r.Summary.Error != 0 || r.Summary.Pass == 0 {
				t.Errorf("%+v: %s", r.Summary, r.Verdicts)
			}
			for _, words := range []string{c.says, `"blame": "environment"`} {
				if !strings.Contains(string(r.Verdicts), words) {
					t.Errorf("no verdict says %q: %s", words, r.Verdicts)
				}
			}
		})
	}
}

// TestJournalsThatAreBroken: what others, or a full volume, made of the folder of journals stops no run.
func TestJournalsThatAreBroken(t *testing.T) {
	t.Parallel()
	for name, prepare := range map[string]func(t *testing.T, dir string){
		"garbage":   func(t *testing.T, dir string) { put(t, dir, "\x00\xff\x1f{{{\n\n") },
		"empty":     func(t *testing.T, dir string) { put(t, dir, "") },
		"truncated": func(t *testing.T, dir string) { put(t, dir, `{"owner":{"place":"here","pid":7,"sta`) },
		"endless":   func(t *testing.T, dir string) { put(t, dir, strings.Repeat("x", 8<<20)) },
		"of a future": func(t *testing.T, dir string) {
			put(t, dir, `{"owner":{"place":"elsewhere","pid":7,"started":"then"},"new":1}`+"\n")
		},
		"a folder": func(t *testing.T, dir string) {
			if err := os.MkdirAll(filepath.Join(dir, "7-x.journal"), 0o700); err != nil {
				t.Fatal(err)
			}
		},
		"no folder at all": func(t *testing.T, dir string) {
			if err := os.WriteFile(dir, nil, 0o600); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			state := t.TempDir()
			prepare(t, filepath.Join(state, "oncespec"))
			p := command(t, "run", "-r", "replay/one-effect", "--operation", "create-ticket", "--out", t.TempDir())
			p.Env = append(p.Env, "XDG_STATE_HOME="+state)
			if err := p.Start(); err != nil {
				t.Fatal(err)
			}
			p.Wait()
			if code := p.ProcessState.ExitCode(); code != 0 || stackTrace.MatchString(p.err.String()) {
				t.Errorf("exit code %d:\n%s", code, p.err.String())
			}
			if who := holding(t, p.tmp); len(who) > 0 {
				t.Errorf("left: %v", who)
			}
		})
	}
}

func put(t *testing.T, dir, text string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "7-x.journal"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestExit3NowhereToWriteDown: what is not written down is not started.
func TestExit3NowhereToWriteDown(t *testing.T) {
	t.Parallel()
	nowhere := filepath.Join(file(t, "plain", "a file"), "below")
	for _, verb := range []string{"run", "fuzz"} {
		p := command(t, verb, "--operation", "create-ticket", "--out", t.TempDir())
		p.Env = append(p.Env, "XDG_STATE_HOME="+nowhere, "TMPDIR="+nowhere)
		if err := p.Start(); err != nil {
			t.Fatal(err)
		}
		e := p.wait(t).want(t, 3)
		if text := e.out + e.err; !strings.Contains(text, "not a directory") || !strings.Contains(text, nowhere) {
			t.Errorf("%s: nobody was told why:\n%s", verb, text)
		}
	}
}

// TestExit3StoreLinkToNobody: a database that is not there, and one that takes connections and says nothing.
func TestExit3StoreLinkToNobody(t *testing.T) {
	t.Parallel()
	silent := "postgres://nobody@{store}/none?connect_timeout=60"
	for name, c := range map[string]struct {
		upstream string
		says     []string
	}{
		"nobody there": {closedPort(t), []string{"target.store.upstream", "nobody takes connections there", "is the database running?"}},
		"silent":       {never(t), []string{"the target does not come up", "not ready in time"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			environment(t, mockBy(t, binary, `"{dir}/mock.db"`, fmt.Sprintf("%q", silent), "ready: {http: /healthz}", "ready: {http: /healthz, within: 1s}",
				"  downstream: {listen", "  store: {listen: \"127.0.0.1:0\", upstream: \""+c.upstream+"\"}\n  downstream: {listen"), c.says...)
		})
	}
}

// TestReplicaThatIsNotThere: one that nobody serves, and one that answers no write, are the environment's. The latter is not waited
// for in every round.
func TestReplicaThatIsNotThere(t *testing.T) {
	t.Parallel()
	api, err := mockapi.New(mockapi.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { api.Close() })
	first := httptest.NewServer(api)
	t.Cleanup(first.Close)
	second := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			c, _, err := w.(http.Hijacker).Hijack()
			if err == nil {
				c.(*net.TCPConn).SetLinger(0)
				c.Close()
			}
			return
		}
		api.ServeHTTP(w, r)
	}))
	t.Cleanup(second.Close)
	for name, c := range map[string]struct {
		replica string
		code    int
	}{
		"nobody there":     {"http://" + closedPort(t), 3},
		"answers no write": {second.URL, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out := t.TempDir()
			config := file(t, "oncespec.yaml", strings.Replace(tickets(first.URL), "\n  tenants:", "\n  replicas: [\""+c.replica+"\"]\n  tenants:", 1))
			e := oncespec(t, "run", "-c", config, "-r", "replay/one-effect", "-r", "race/replicas", "--out", out)
			r := report(t, out)
			if r.Summary.Fail != 0 || r.Summary.Error != 0 || strings.Contains(string(r.Verdicts), `"blame": "target"`) {
				t.Errorf("exit %d, %+v: %s", e.code, r.Summary, r.Verdicts)
			}
			if e.code != c.code {
				t.Errorf("exit %d, want %d: %s\n%s", e.code, c.code, r.Problem, r.Verdicts)
			}
			histories, err := filepath.Glob(filepath.Join(out, "histories", "race-replicas*"))
			if err != nil || name == "answers no write" && len(histories) == 0 {
				t.Fatalf("no history of race/replicas: %v", err)
			}
			for _, name := range histories {
				if text, err := os.ReadFile(name); err != nil || strings.Contains(string(text), `"round 2`) {
					t.Errorf("%s: it went on after a round that one replica answered nothing of (%v)", filepath.Base(name), err)
				}
			}
		})
	}
}
