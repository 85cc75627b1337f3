//go:build unix

package life_test

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/oncespec/oncespec/faults/journal"
	"github.com/oncespec/oncespec/faults/life"
)

// families are targets with a child: one in the target's process group, and, where such a one can be found, one that left it.
var families = func() []string {
	if runtime.GOOS == "linux" {
		return []string{"family", "daemon"}
	}
	return []string{"family"}
}()

// harness is another program that starts something and says so.
func harness(t *testing.T, env ...string) *exec.Cmd {
	t.Helper()
	h := exec.Command(os.Args[0])
	h.Env = append(os.Environ(), env...)
	out, err := h.StdoutPipe()
	if err == nil {
		err = h.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.Process.Kill(); h.Wait() })
	if said, _ := bufio.NewReader(out).ReadString('\n'); said != "started <nil>\n" {
		t.Fatalf("the harness said %q", said)
	}
	return h
}

func TestKilledHarnessLeavesNothing(t *testing.T) {
	t.Parallel()
	for _, role := range families {
		t.Run(role, func(t *testing.T) {
			t.Parallel()
			addr, child := freeAddr(t), freeAddr(t)
			h := harness(t, "ROLE=harness", "TARGET="+role, "ADDR="+addr, "CHILD="+child)
			parentLine, childLine := hold(t, addr), hold(t, child)
			parentLine.alive(t)
			childLine.alive(t)
			h.Process.Kill()
			h.Wait()
			parentLine.breaks(t)
			childLine.breaks(t)
		})
	}
}

// Where even the guards were killed, the next program ends what is left, once the one that started it is dead.
func TestNextProgramEndsWhatAKilledOneLeft(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("environments of others cannot be read here")
	}
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	addr, child := freeAddr(t), freeAddr(t)
	h := harness(t, "ROLE=harness", "TARGET=daemon", "ADDR="+addr, "CHILD="+child)
	line := hold(t, child)
	line.alive(t)
	for _, pid := range childrenOf(t, h.Process.Pid, "sh") {
		syscall.Kill(pid, syscall.SIGKILL)
	}
	sweep := func() int {
		ended, err := journal.Sweep(soon(t), life.Enders())
		if err != nil {
			t.Error(err)
		}
		return len(ended)
	}
	if n := sweep(); n != 0 {
		t.Errorf("%d things of a program that lives were ended", n)
	}
	line.alive(t)
	h.Process.Kill()
	h.Wait()
	line.alive(t) // out of its group, with nobody to guard it
	if n := sweep(); n != 1 {
		t.Errorf("%d things were ended", n)
	}
	line.breaks(t)
}

func childrenOf(t *testing.T, parent int, name string) (pids []int) {
	t.Helper()
	files, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, file := range files {
		stat, err := os.ReadFile(file)
		if err != nil || !strings.Contains(string(stat), "("+name+") S "+strconv.Itoa(parent)+" ") {
			continue
		}
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		pids = append(pids, pid)
	}
	if len(pids) == 0 {
		t.Fatalf("process %d has no child %s", parent, name)
	}
	return pids
}

// A target of somebody else's that stood still when we were killed goes on.
func TestNextProgramResumesWhatAKilledOnePaused(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	diary := filepath.Join(t.TempDir(), "diary")
	t.Setenv("DIARY", diary)
	h := harness(t, "ROLE=hook harness")
	h.Process.Kill()
	h.Wait()
	for range 2 {
		if _, err := journal.Sweep(soon(t), life.Enders()); err != nil {
			t.Error(err)
		}
		if done, _ := os.ReadFile(diary); string(done) != "pause\nresume\n" {
			t.Errorf("did %q", done)
		}
	}
}

// A target whose hooks only paused it is not ended with the run, although there is a hook to start it.
func TestPausedTargetOfSomebodyElseLivesOn(t *testing.T) {
	t.Parallel()
	commands, done := diary(t)
	h := life.NewHooks(commands)
	if err := errors.Join(h.Pause(soon(t)), h.Resume(soon(t)), h.Pause(soon(t)), h.Close()); err != nil {
		t.Fatal(err)
	}
	if got := done(); got != "pause, resume, pause, resume" {
		t.Errorf("did %s", got)
	}
}

func TestWhatLeftItsGroupStandsStillToo(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("it is out of reach here")
	}
	addr, child := freeAddr(t), freeAddr(t)
	p := start(t, self("daemon", "ADDR="+addr, "CHILD="+child))
	line := hold(t, child)
	line.alive(t)
	for name, resume := range map[string]func() error{
		"alone":       func() error { return p.Resume(soon(t)) },
		"with others": func() error { return errors.Join(life.ResumeAll(soon(t), []life.Life{p})...) },
	} {
		if err := p.Pause(soon(t)); err != nil {
			t.Fatal(err)
		}
		line.Write([]byte("?"))
		line.SetReadDeadline(time.Now().Add(20 * time.Millisecond))
		if n, err := line.Read(make([]byte, 1)); n != 0 || !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("answered while it stood still: %d bytes, %v", n, err)
		}
		line.SetDeadline(time.Now().Add(patience))
		if err := resume(); err != nil {
			t.Fatal(err)
		}
		if n, err := line.Read(make([]byte, 1)); n != 1 {
			t.Errorf("no answer after resuming %s: %v", name, err)
		}
	}
}

// It forks while it is being killed, each time out of its group.
func TestWhoForksOnIsKilledWhole(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("it is out of reach here")
	}
	p := start(t, self("forks"))
	if _, err := p.Kill(soon(t)); err != nil {
		t.Fatal(err)
	}
	if left := life.Carriers(p); left != 0 {
		t.Errorf("%d processes live on", left)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}
