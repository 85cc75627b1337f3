package main_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/oncespec/oncespec/faults/life"
)

// pausable is the mock by hooks, with a replica, so that its first instance can be frozen while the other takes over.
func pausable(t *testing.T, kill, pause, resume, within string) string {
	t.Helper()
	text, err := os.ReadFile(hooked(t, "      kill: '"+kill+"kill -9 $(cat \"$DIR/pid\")'\n      pause: '"+pause+"'\n      resume: '"+resume+"'\n"+within))
	if err != nil {
		t.Fatal(err)
	}
	port, err := life.FreePort()
	if err != nil {
		t.Fatal(err)
	}
	changed := strings.ReplaceAll(string(text), `$DIR/pid`, `$DIR/pid-$PORT`)
	changed = strings.Replace(changed, "--listen 127.0.0.1:$PORT", "--lease 500ms --listen 127.0.0.1:$PORT", 1)
	changed = strings.Replace(changed, "\n  tenants:", fmt.Sprintf("\n  replicas: [\"http://127.0.0.1:%d\"]\n  tenants:", port), 1)
	return file(t, "oncespec.yaml", changed)
}

// TestPauseHooksThatFailOrHang: nothing is concluded about the target, it is said which hook it was, and nothing stays paused.
func TestPauseHooksThatFailOrHang(t *testing.T) {
	t.Parallel()
	const stop, goOn = `kill -STOP $(cat "$DIR/pid")`, `kill -CONT $(cat "$DIR/pid")`
	once := `if [ ! -e "$DIR/once" ]; then : > "$DIR/once"; %s; fi; ` + goOn
	for name, c := range map[string]struct {
		pause, resume, within string
		says                  []string // by the verdict; none: the next try succeeds
	}{
		"pause fails":                 {`echo no cgroup; exit 7`, goOn, "", []string{"hook pause", "exit status 7", "no cgroup"}},
		"pause hangs":                 {`sleep 600`, goOn, "      within: 2s\n", []string{"hook pause", "still running after 2s"}},
		"pause pauses and hangs":      {stop + `; sleep 600`, goOn, "      within: 2s\n", []string{"hook pause", "still running after 2s"}},
		"resume fails the first time": {stop, fmt.Sprintf(once, "echo busy; exit 8"), "", nil},
		"resume hangs the first time": {stop, fmt.Sprintf(once, "sleep 600"), "      within: 2s\n", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out := t.TempDir()
			e := oncespec(t, "run", "-c", pausable(t, "", c.pause, c.resume, c.within), "-r", "replay/one-effect", "-r", "crash/fencing", "--operation", "create-ticket", "--out", out)
			r := report(t, out)
			if r.Summary.Fail != 0 || r.Summary.Error != 0 || r.Summary.Pass == 0 {
				t.Errorf("%+v: %s", r.Summary, r.Verdicts)
			}
			if len(c.says) == 0 {
				e.want(t, 0)
				return
			}
			e.want(t, 2)
			for _, words := range append(c.says, `"blame": "environment"`) {
				if !strings.Contains(string(r.Verdicts), words) {
					t.Errorf("no verdict says %q: %s", words, r.Verdicts)
				}
			}
		})
	}
}

// TestExit3TargetThatStaysPaused: where no hook lets it go on, or kills it, what comes after that is not blamed on the target.
func TestExit3TargetThatStaysPaused(t *testing.T) {
	t.Parallel()
	// The next start has another folder for temporary files.
	fails := `if [ "$TMPDIR" = "$(dirname "$DIR")" ]; then echo no such node; exit 9; fi; `
	leftForTheNextStart(t, pausable(t, fails, `kill -STOP $(cat "$DIR/pid")`, fails+`kill -CONT $(cat "$DIR/pid")`, "      within: 2s\n"), "crash/fencing",
		"was paused and does not go on", "hook resume", "exit status 9", "no such node")
}
