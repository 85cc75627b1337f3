//go:build unix

package power_test

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/oncespec/oncespec/faults/life"
	"github.com/oncespec/oncespec/faults/needtest"
	"github.com/oncespec/oncespec/scenarios/target/power"
)

// contained is the known-racy server in a container, in the network of this machine or with a port that Docker publishes.
func contained(t *testing.T, port int) *power.Range {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	_, _, err := life.ReachHost(ctx)
	needtest.Have(t, "docker", err)
	program := filepath.Join(t.TempDir(), "racy")
	build := exec.CommandContext(ctx, "go", "build", "-o", program, "./testdata/racy")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	free, err := life.FreePort()
	if err != nil {
		t.Fatal(err)
	}
	outside := fmt.Sprintf("127.0.0.1:%d", free)
	inside := outside
	if port != 0 {
		inside = fmt.Sprintf("0.0.0.0:%d", port)
	}
	box, err := life.NewContainer(life.Box{Image: life.Image{Program: program}, Args: []string{inside}, Port: port, Listens: outside, ReadyWithin: 2 * time.Minute,
		// It has to answer: Docker takes connections to a port that it publishes before anybody listens behind it.
		Ready: func(ctx context.Context) error {
			r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+outside, nil)
			if err != nil {
				return err
			}
			r.Close = true
			answer, err := http.DefaultClient.Do(r)
			if err != nil {
				return err
			}
			return answer.Body.Close()
		}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := box.Close(); err != nil {
			t.Error(err)
		}
	})
	if err := box.Start(ctx); err != nil {
		t.Fatal(err)
	}
	r := power.Frozen(outside, box)
	t.Cleanup(r.Close)
	return r
}

// TestShortWindowIsFoundInAFrozenContainer is the bar for a target that runs in a container, and is frozen there.
func TestShortWindowIsFoundInAFrozenContainer(t *testing.T) {
	const rounds, chance = 30, 0.95
	load := power.Load{Keys: 10, Each: 2}
	for name, port := range map[string]int{"network of this machine": 0, "published port": 8080} {
		t.Run(name, func(t *testing.T) {
			hits, met := series(t, contained(t, port), rounds, load, tenMicroseconds)
			t.Logf("%d of %d bursts of %+v found it, handlers met in %d", hits, rounds, load, met)
			if want := fewest(rounds, chance); hits < want {
				t.Errorf("%d of %d bursts found it; with probability %v at least %d do, but for one time in a thousand", hits, rounds, chance, want)
			}
		})
	}
}
