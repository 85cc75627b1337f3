package target_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/target"
	"github.com/oncespec/oncespec/scenarios/target/config"
)

// elapsed lets time pass on a target with such a clock, and returns what was recorded of it.
func elapsed(t *testing.T, url, clock, lifetime string, by time.Duration) (passed bool, faults []*history.Fault) {
	t.Helper()
	cfg, err := config.Parse("oncespec.yaml", []byte(fmt.Sprintf(`
target: {url: %s%s}
contract: {lifetime: %s}
operations:
  create: {request: {method: POST, path: /things, body: {a: b}}}
`, url, clock, lifetime)), os.LookupEnv)
	if err != nil {
		t.Fatal(err)
	}
	to, err := target.Start(t.Context(), target.Options{Config: cfg})
	if err != nil {
		t.Fatal(err)
	}
	defer to.Close(t.Context())
	s := to.Stage(target.Scenario{ID: "key/retained"}, cfg.Operations["create"], target.StageOptions{})
	_, passed = s.Elapse(t.Context(), by)
	for _, h := range s.Histories() {
		for _, e := range h.Events {
			if e.Fault != nil {
				faults = append(faults, e.Fault)
			}
		}
	}
	return passed, faults
}

func TestTheClockIsMoved(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var asked []string
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		mu.Lock()
		defer mu.Unlock()
		asked = append(asked, r.Method+" "+r.URL.String()+" "+string(body))
		if r.URL.Path == "/broken" {
			http.Error(w, "no such clock", http.StatusNotFound)
		}
	}))
	defer api.Close()
	dir := t.TempDir()
	file := filepath.Join(dir, "moved")
	for name, tc := range map[string]struct {
		clock string
		want  bool
		says  string
	}{
		"by a request":                 {`, clock: {http: {method: POST, path: /clock, body: {advance: "{duration}"}}}`, true, "moved by 1h30m1s"},
		"by a request that is refused": {`, clock: {http: {method: PUT, path: "/broken?by={duration}"}}`, false, "found 404: no such clock"},
		"by a command":                 {`, clock: {command: 'echo "{duration} $DURATION" > ` + file + `'}`, true, "moved by 1h30m1s"},
		"by a command that fails":      {`, clock: {command: 'echo {duration} is too far >&2; exit 3'}`, false, "5401s is too far"},
		"by a command that hangs":      {`, clock: {command: 'sleep 1000; echo $DURATION', within: 50ms}`, false, "still running after 50ms"},
	} {
		t.Run(name, func(t *testing.T) {
			passed, faults := elapsed(t, api.URL, tc.clock, "24h", 90*time.Minute+time.Second+time.Millisecond)
			if passed != tc.want || len(faults) != 1 || faults[0].Landed != tc.want || !strings.Contains(faults[0].Detail, tc.says) {
				t.Errorf("passed %v, found %+v", passed, faults)
			}
			if tc.want && faults[0].Moved != (90*time.Minute+time.Second).Microseconds() {
				t.Errorf("moved by %d µs", faults[0].Moved)
			}
		})
	}
	if got := strings.Join(asked, "\n"); got != "POST /clock {\"advance\":\"5401s\"}\nPUT /broken?by=5401s " && got != "PUT /broken?by=5401s \nPOST /clock {\"advance\":\"5401s\"}" {
		t.Errorf("asked %s", got)
	}
	if text, err := os.ReadFile(file); string(text) != "5401s 5401s\n" {
		t.Errorf("the command was told %q, %v", text, err)
	}
}

// TestTimeIsWaitedForWithinBounds: a short lifetime passes by itself, a long one is not waited for.
func TestTimeIsWaitedForWithinBounds(t *testing.T) {
	t.Parallel()
	api := httptest.NewServer(http.NotFoundHandler())
	defer api.Close()
	began := time.Now()
	if passed, faults := elapsed(t, api.URL, "", "1s", 30*time.Millisecond); !passed || len(faults) != 0 || time.Since(began) < 30*time.Millisecond {
		t.Errorf("passed %v, found %+v", passed, faults)
	}
	if passed, _ := elapsed(t, api.URL, "", "24h", 24*time.Hour); passed {
		t.Error("a day did not pass")
	}
}
