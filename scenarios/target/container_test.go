package target

import (
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/oncespec/oncespec/faults/life"
	"github.com/oncespec/oncespec/faults/link/linktest"
	"github.com/oncespec/oncespec/faults/needtest"
	"github.com/oncespec/oncespec/scenarios/target/config"
)

// TestAPortThatIsPublishedIsNotATarget: a proxy that takes connections and ends them stands before nobody.
func TestAPortThatIsPublishedIsNotATarget(t *testing.T) {
	t.Parallel()
	if err := keeps(t.Context(), linktest.Listen(t, func(net.Conn) {})); err == nil {
		t.Error("a connection that is ended at once: no error")
	}
	if err := keeps(t.Context(), linktest.Listen(t, func(c net.Conn) { io.Copy(io.Discard, c) })); err != nil {
		t.Errorf("a connection that lasts: %v", err)
	}
	if err := keeps(t.Context(), linktest.Listen(t, func(c net.Conn) { io.WriteString(c, "hello"); io.Copy(io.Discard, c) })); err != nil {
		t.Errorf("a target that speaks first: %v", err)
	}
	if err := keeps(t.Context(), "127.0.0.1:1"); err == nil {
		t.Error("nobody there: no error")
	}
}

// TestTheGateStaysOnLoopback: nothing listens beyond it, but where a container could not reach it otherwise.
func TestTheGateStaysOnLoopback(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		lifecycle *config.Lifecycle
		listen    string
	}{
		"nobody starts the target":     {nil, "127.0.0.1:0"},
		"a process":                    {&config.Lifecycle{Process: &config.Process{}}, "127.0.0.1:9099"},
		"this machine's network":       {&config.Lifecycle{Container: &config.Container{}}, "127.0.0.1:0"},
		"an address that is no secret": {&config.Lifecycle{Container: &config.Container{Port: 80}}, "192.0.2.1:9099"},
	} {
		tg := &Target{cfg: &config.Config{Target: config.Service{Lifecycle: c.lifecycle}}}
		if got, err := tg.gateAddress(t.Context(), c.listen); got != c.listen || err != nil {
			t.Errorf("%s: got %s, %v", name, got, err)
		}
	}
}

// TestAProgramThatCannotBeAContainer is for the configuration to mend, where there is a Docker to ask.
func TestAProgramThatCannotBeAContainer(t *testing.T) {
	t.Parallel()
	script := filepath.Join(t.TempDir(), "script")
	if err := os.WriteFile(script, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	url := "target: {url: 'http://127.0.0.1:{port}', lifecycle: {container: {program: " + script + "}}}\n"
	cfg, err := config.Parse("oncespec.yaml", []byte(url+"operations: {a: {request: {method: POST, path: /a, body: {t: x}}, unique: [/t]}}\n"), os.LookupEnv)
	if err != nil {
		t.Fatal(err)
	}
	_, err = Start(t.Context(), Options{Config: cfg, Dir: t.TempDir()})
	var docker *life.DockerError
	if errors.As(err, &docker) {
		needtest.Have(t, "docker", err)
	}
	var configuration *ConfigurationError
	if !errors.As(err, &configuration) || !strings.Contains(err.Error(), "CGO_ENABLED=0") {
		t.Errorf("got %v", err)
	}
}
