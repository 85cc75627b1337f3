package main_test

import (
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/oncespec/oncespec/mockapi"
)

// TestExit3ReplicaThatDies: one of somebody else's that goes down in the middle of a race is the environment's, whenever it goes.
func TestExit3ReplicaThatDies(t *testing.T) {
	t.Parallel()
	for _, after := range []int64{1, 7} {
		t.Run(fmt.Sprintf("after %d writes", after), func(t *testing.T) {
			t.Parallel()
			api, err := mockapi.New(mockapi.Options{})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { api.Close() })
			first := httptest.NewServer(api)
			t.Cleanup(first.Close)
			var writes atomic.Int64
			dying := make(chan struct{})
			second := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Method == http.MethodPost {
					if n := writes.Add(1); n == after {
						close(dying)
					} else if n > after {
						panic(http.ErrAbortHandler)
					}
				}
				api.ServeHTTP(w, r)
			}))
			t.Cleanup(second.Close)
			go func() {
				select {
				case <-dying:
					second.Listener.Close()
					second.CloseClientConnections()
				case <-t.Context().Done():
				}
			}()
			out := t.TempDir()
			config := file(t, "oncespec.yaml", strings.Replace(tickets(first.URL), "\n  tenants:", "\n  replicas: [\""+second.URL+"\"]\n  tenants:", 1))
			oncespec(t, "run", "-c", config, "-r", "replay/one-effect", "-r", "race/one-effect", "-r", "race/replicas", "-r", "replay/answered", "--out", out).want(t, 3)
			r := report(t, out)
			if r.Summary.Fail != 0 || r.Summary.Error != 0 || strings.Contains(string(r.Verdicts), `"blame": "target"`) {
				t.Errorf("%+v: %s", r.Summary, r.Verdicts)
			}
			for _, words := range []string{"target.replicas[0]", "went down"} {
				if !strings.Contains(r.Problem, words) {
					t.Errorf("the problem does not say %q: %s", words, r.Problem)
				}
			}
		})
	}
}

// TestReplicaThatIsKilledComesBack: one that the run started itself is started again, or the verdict has no proof. Nothing is
// concluded about the target, and nothing is left.
func TestReplicaThatIsKilledComesBack(t *testing.T) {
	t.Parallel()
	out := t.TempDir()
	p := command(t, "run", "-r", "replay/one-effect", "-r", "race/replicas", "--operation", "create-ticket", "--out", out)
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	killed := make(chan bool, 1)
	over := make(chan struct{})
	go func() {
		for {
			select {
			case <-over:
				killed <- false
				return
			case <-time.After(time.Millisecond):
			}
			if pid := replicaOf(p.Process.Pid); pid != 0 {
				it, err := os.FindProcess(pid)
				killed <- err == nil && it.Kill() == nil
				return
			}
		}
	}()
	e := p.wait(t)
	close(over)
	if !<-killed {
		t.Fatal("there was no replica to kill")
	}
	r := report(t, out)
	if e.code != 0 && e.code != 2 || r.Summary.Fail != 0 || r.Summary.Error != 0 || strings.Contains(string(r.Verdicts), `"blame": "target"`) {
		t.Errorf("exit code %d, %+v: %s\n%s", e.code, r.Summary, r.Verdicts, e.err)
	}
}

var listensAt = regexp.MustCompile(`127\.0\.0\.1:\d+`)

// replicaOf is the second mock that a run has started, once it takes connections; 0: there is none yet.
func replicaOf(run int) int {
	mocks := map[int]string{} // process → where it listens
	all, _ := filepath.Glob("/proc/[0-9]*")
	for _, proc := range all {
		status, _ := os.ReadFile(filepath.Join(proc, "status"))
		line, _ := os.ReadFile(filepath.Join(proc, "cmdline"))
		if !strings.Contains(string(status), fmt.Sprintf("\nPPid:\t%d\n", run)) || !strings.Contains(string(line), "mock.db") {
			continue
		}
		var pid int
		fmt.Sscan(filepath.Base(proc), &pid)
		mocks[pid] = listensAt.FindString(string(line))
	}
	last := slices.Max(append(slices.Collect(maps.Keys(mocks)), 0))
	if len(mocks) < 2 {
		return 0
	}
	c, err := net.Dial("tcp", mocks[last])
	if err != nil {
		return 0
	}
	c.Close()
	return last
}
