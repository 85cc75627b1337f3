package target_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/oncespec/oncespec/faults/life"
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/target"
)

// free is an address that nobody listens on. It lies outside of the range from which other tests get theirs, so that it
// stays free.
func free(t *testing.T) string {
	t.Helper()
	port, err := life.FreePort()
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("127.0.0.1:%d", port)
}

// mortal serves at an address that nobody else takes once it is closed: where it can, at one of loopback's that no other program
// uses.
func mortal(t *testing.T, h http.Handler) *httptest.Server {
	t.Helper()
	addr := free(t)
	if runtime.GOOS == "linux" {
		addr = strings.Replace(addr, "127.0.0.1", "127.7.7.7", 1)
	}
	l, err := net.Listen("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewUnstartedServer(h)
	server.Listener.Close()
	server.Listener = l
	server.Start()
	return server
}

// TestStartRefuses: what the surroundings do is told apart from what the configuration says, in words that help.
func TestStartRefuses(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { taken.Close() })
	up := httptest.NewServer(&api{})
	t.Cleanup(up.Close)
	process := func(lines string) []string {
		return []string{"\ncontract:", "\n  lifecycle: {process: {" + lines + "}}\ncontract:"}
	}
	tests := []struct {
		name        string
		url         string
		replace     []string
		environment bool
		words       string
	}{
		{"target down", "http://" + free(t), nil, true, "nobody takes connections"},
		{"gate's port taken", up.URL, []string{"\ncontract:", "\n  downstream: {listen: \"" + taken.Addr().String() + "\"}\ncontract:"}, true, "taken by another program"},
		{"target's port taken", "http://" + taken.Addr().String(), process("command: [sleep, \"5\"]"), true, "taken by another program"},
		{"process that ends", "http://127.0.0.1:{port}", process("command: [sh, -c, \"echo broken >&2; exit 3\"]"), true, "broken"},
		{"process that never gets ready", "http://127.0.0.1:{port}", process("command: [sleep, \"30\"], ready: {within: 50ms}"), true, "not ready"},
		{"no such command", "http://127.0.0.1:{port}", process("command: [./no-such-command]"), false, "not found"},
		{"other machine", "http://192.0.2.1:80", nil, false, "allow_hosts"},
		{"live system", "http://api.prod.localhost:80", nil, false, "production"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			cfg := configure(t, tt.url, plain, tt.replace...)
			_, err := target.Start(t.Context(), target.Options{Config: cfg, Dir: t.TempDir()})
			var environment *target.EnvironmentError
			var configuration *target.ConfigurationError
			if err == nil || !strings.Contains(err.Error(), tt.words) {
				t.Fatalf("error: %v, want %q in it", err, tt.words)
			}
			if errors.As(err, &environment) != tt.environment || errors.As(err, &configuration) == tt.environment {
				t.Errorf("blame: %#v", err)
			}
		})
	}
	if _, err := target.Start(t.Context(), target.Options{}); err == nil {
		t.Error("no configuration: want an error")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := target.Start(ctx, target.Options{Config: configure(t, "http://127.0.0.1:{port}", plain, process("command: [sleep, \"30\"]")...)}); err == nil {
		t.Error("interrupted: want an error")
	}
}

// TestCloseIsForGood: it may come twice, ends what is under way, and leaves nothing behind (TestMain looks for leaks).
func TestCloseIsForGood(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(silence))
	t.Cleanup(server.Close)
	cfg := configure(t, server.URL, strings.Replace(plain, "      - value: {get: /stats, at: $.total}\n", "", 1))
	tg, err := target.Start(t.Context(), target.Options{Config: cfg})
	if err != nil {
		t.Fatal(err)
	}
	s := tg.Stage(target.Scenario{ID: "x/y"}, cfg.Operations["create"], target.StageOptions{})
	f := s.Go(t.Context(), must(s.Intent(t.Context())), target.Send{})
	for range 2 {
		if err := tg.Close(t.Context()); err != nil {
			t.Error(err)
		}
	}
	<-f.Done()
	if a := f.Wait(t.Context()); a.Outcome == history.Answered {
		t.Errorf("attempt: %+v", a)
	}
	if in, err := s.Intent(t.Context()); err == nil {
		if a := s.Do(t.Context(), in, target.Send{}); a.Outcome != history.Unsent {
			t.Errorf("an attempt after the end: %+v", a)
		}
	}
}

// TestLimits: a run makes no more objects than it may, and does not send faster.
func TestLimits(t *testing.T) {
	t.Parallel()
	text := plain + "limits: {objects: 3, rate: 50}\n"
	r := start(t, &api{}, strings.Replace(text, "      - value: {get: /stats, at: $.total}\n", "", 1))
	s := r.stage("x/y")
	begin := time.Now()
	for range 3 {
		s.Do(t.Context(), must(s.Intent(t.Context())), target.Send{})
	}
	if took := time.Since(begin); took < 35*time.Millisecond {
		t.Errorf("3 requests at 50 a second took %v", took)
	}
	_, err := s.Intent(t.Context())
	var environment *target.EnvironmentError
	if !errors.As(err, &environment) || !strings.Contains(err.Error(), "limits.objects") {
		t.Errorf("the fourth object: %v", err)
	}
}

// TestSetupRefused: a parent that cannot be made is the environment's doing.
func TestSetupRefused(t *testing.T) {
	t.Parallel()
	r := start(t, &api{}, plain, "    request:", "    setup: [{name: parent, method: POST, path: /broken}]\n    request:")
	_, err := r.stage("x/y").Intent(t.Context())
	var environment *target.EnvironmentError
	if !errors.As(err, &environment) || !strings.Contains(err.Error(), "500") {
		t.Errorf("error: %v", err)
	}
}
