//go:build unix

package life_test

import (
	"bufio"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"github.com/oncespec/oncespec/faults/life"
)

// TestSeveralProgramsTidyUpAtOnce: each removes what one dead program left while others remove the same, and all that any dead
// program left. What is in use only because somebody else is at it is waited for: nobody fails, and nothing is left.
func TestSeveralProgramsTidyUpAtOnce(t *testing.T) {
	t.Parallel()
	b := box(t, 0, "serve")
	names := make([]string, 3)
	runs := make([]*exec.Cmd, len(names))
	for n := range names {
		runs[n], names[n] = containerHarness(t, b)
	}
	for _, run := range runs {
		run.Process.Kill()
		run.Wait()
	}
	var all sync.WaitGroup
	for _, name := range names {
		thing := life.ContainerThing(name)
		for range 2 {
			all.Go(func() {
				if err := life.Enders()[thing.Kind](t.Context(), thing); err != nil {
					t.Errorf("%s: %v", thing, err)
				}
			})
		}
		all.Go(func() { life.SweepDocker(t) })
	}
	all.Wait()
	for _, name := range names {
		if there := life.Named(t, name); there != "" {
			t.Errorf("of %s there is still %s", name, there)
		}
	}
}

// containerHarness is another program, with a journal of its own, that runs such a container, and what that is called.
func containerHarness(t *testing.T, b life.Box) (*exec.Cmd, string) {
	t.Helper()
	h := exec.Command(os.Args[0])
	h.Env = append(os.Environ(), "ROLE=container harness", "ADDR="+freeAddr(t), "PROGRAM="+b.Image.Program, "XDG_STATE_HOME="+t.TempDir())
	out, err := h.StdoutPipe()
	if err == nil {
		err = h.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.Process.Kill(); h.Wait() })
	said, _ := bufio.NewReader(out).ReadString('\n')
	name, started := strings.CutPrefix(strings.TrimSpace(said), "started ")
	if !started {
		t.Fatalf("the harness said %q", said)
	}
	return h, name
}
