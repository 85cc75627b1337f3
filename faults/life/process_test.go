//go:build unix

package life_test

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/oncespec/oncespec/faults/life"
)

func TestKillIsSeenAndRestartBringsItBack(t *testing.T) {
	t.Parallel()
	addr := freeAddr(t)
	c := self("serve", "ADDR="+addr)
	c.Listens = addr
	p := newProcess(t, c)
	if p.PID() != 0 || p.Exited() != nil {
		t.Error("something runs already")
	}
	for range 3 {
		if err := p.Restart(soon(t)); err != nil {
			t.Fatal(err)
		}
		pid, exited, line := p.PID(), p.Exited(), hold(t, addr)
		line.alive(t)
		if _, over := p.Exit(); over {
			t.Error("an exit before the end")
		}
		before := time.Now()
		exit, err := p.Kill(soon(t))
		if err != nil {
			t.Fatal(err)
		}
		if !exit.Witnessed || exit.PID != pid || exit.Signal != "SIGKILL" || exit.Code != -1 || exit.When.Before(before) {
			t.Errorf("exit: %+v", exit)
		}
		<-exited
		line.breaks(t)
		if again, over := p.Exit(); !over || again != exit {
			t.Errorf("exit afterwards: %+v", again)
		}
	}
}

func TestCommandCannotBeStartedTwice(t *testing.T) {
	t.Parallel()
	addr := freeAddr(t)
	c := self("serve", "ADDR="+addr)
	c.Listens = addr
	p := start(t, c)
	if err := p.Start(soon(t)); !errors.Is(err, life.ErrRunning) {
		t.Errorf("got %v", err)
	}
	hold(t, addr).alive(t)
}

func TestStop(t *testing.T) {
	t.Parallel()
	for role, want := range map[string]life.Exit{
		"serve":    {Signal: "SIGTERM", Code: -1},
		"polite":   {Code: 7},
		"stubborn": {Signal: "SIGKILL", Code: -1},
	} {
		t.Run(role, func(t *testing.T) {
			t.Parallel()
			addr := freeAddr(t)
			p := start(t, self(role, "ADDR="+addr))
			grace := patience
			if role == "stubborn" {
				grace = 10 * time.Millisecond
			}
			exit, err := p.Stop(soon(t), grace)
			if err != nil || exit.Signal != want.Signal || exit.Code != want.Code {
				t.Errorf("got %v, %v", exit, err)
			}
		})
	}
}

func TestChildrenGoToo(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(context.Context, *life.Process) error{
		"kill":  func(ctx context.Context, p *life.Process) error { _, err := p.Kill(ctx); return err },
		"stop":  func(ctx context.Context, p *life.Process) error { _, err := p.Stop(ctx, patience); return err },
		"close": func(_ context.Context, p *life.Process) error { return errors.Join(p.Close(), p.Close()) },
		"its own end": func(ctx context.Context, p *life.Process) error {
			process, err := os.FindProcess(p.PID())
			if err == nil {
				err = process.Kill()
			}
			<-p.Exited()
			return err
		},
	} {
		for _, role := range families {
			t.Run(role+", "+name, func(t *testing.T) {
				t.Parallel()
				addr, child := freeAddr(t), freeAddr(t)
				p := start(t, self(role, "ADDR="+addr, "CHILD="+child))
				parentLine, childLine := hold(t, addr), hold(t, child)
				childLine.alive(t)
				if err := end(soon(t), p); err != nil {
					t.Fatal(err)
				}
				parentLine.breaks(t)
				childLine.breaks(t)
			})
		}
	}
}

func TestPauseFreezesAndResumeGoesOn(t *testing.T) {
	t.Parallel()
	addr := freeAddr(t)
	p := start(t, self("serve", "ADDR="+addr))
	if !p.Can().Has(life.CanPause | life.CanResume) {
		t.Skip("nothing can be frozen here")
	}
	line := hold(t, addr)
	for range 5 {
		if err := p.Pause(soon(t)); err != nil {
			t.Fatal(err)
		}
		if state := state(t, p.PID()); state != "T" {
			t.Errorf("state %s after a pause, want T", state)
		}
		line.Write([]byte("?"))
		if err := p.Resume(soon(t)); err != nil {
			t.Fatal(err)
		}
		if n, err := line.Read(make([]byte, 1)); n != 1 {
			t.Fatalf("no answer after resuming: %v", err)
		}
	}
}

// state is a process's state, where the system shows it.
func state(t *testing.T, pid int) string {
	if runtime.GOOS != "linux" {
		return "T"
	}
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(stat), ") ")
	return rest[:1]
}

func TestPausedProcessCanBeEnded(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*life.Process) (life.Exit, error){
		"kill": func(p *life.Process) (life.Exit, error) { return p.Kill(t.Context()) },
		"stop": func(p *life.Process) (life.Exit, error) { return p.Stop(t.Context(), patience) },
	} {
		p := start(t, self("polite", "ADDR="+freeAddr(t)))
		if err := p.Pause(soon(t)); err != nil {
			t.Fatal(err)
		}
		exit, err := end(p)
		if err != nil || name == "stop" && exit.Code != 7 || name == "kill" && exit.Signal != "SIGKILL" {
			t.Errorf("%s: %v, %v", name, exit, err)
		}
	}
}

func TestVerbsOnWhatDoesNotRun(t *testing.T) {
	t.Parallel()
	p := newProcess(t, self("exit"))
	for range 2 { // first never started, then ended
		if _, err := p.Kill(soon(t)); !errors.Is(err, life.ErrNotRunning) {
			t.Errorf("kill: %v", err)
		}
		if _, err := p.Stop(soon(t), 0); !errors.Is(err, life.ErrNotRunning) {
			t.Errorf("stop: %v", err)
		}
		if err := p.Pause(soon(t)); !errors.Is(err, life.ErrNotRunning) {
			t.Errorf("pause: %v", err)
		}
		if err := p.Resume(soon(t)); !errors.Is(err, life.ErrNotRunning) {
			t.Errorf("resume: %v", err)
		}
		if err := p.Start(soon(t)); err != nil { // without Ready it is enough to have started
			t.Fatal(err)
		}
		<-p.Exited()
	}
	exit, err := p.Kill(soon(t))
	if !errors.Is(err, life.ErrNotRunning) || exit.Code != 3 || exit.Signal != "" {
		t.Errorf("killing what had ended: %v, %v", exit, err)
	}
	p.Close()
	if err := p.Start(soon(t)); !errors.Is(err, life.ErrClosed) {
		t.Errorf("start after close: %v", err)
	}
}

func TestStartErrors(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { taken.Close() })
	never := func(context.Context) error { return errors.New("connection refused, for example") }
	script := filepath.Join(t.TempDir(), "script")
	if err := os.WriteFile(script, []byte("no program"), 0o644); err != nil {
		t.Fatal(err)
	}

	for name, c := range map[string]struct {
		command life.Command
		is      error
		says    []string
	}{
		"not in PATH":      {life.Command{Argv: []string{"no-such-program", "--port", "1"}}, life.ErrNotFound, []string{"no-such-program --port 1", "is it built"}},
		"no such file":     {life.Command{Argv: []string{"./no-such-program"}}, life.ErrNotFound, []string{"path right"}},
		"not executable":   {life.Command{Argv: []string{script}}, os.ErrPermission, []string{"executable"}},
		"no such folder":   {life.Command{Argv: []string{os.Args[0]}, Dir: "/no/such/folder"}, os.ErrNotExist, []string{"working folder /no/such/folder"}},
		"exited":           {withReady(self("exit"), never), life.ErrExited, []string{"code 3", "cannot read the configuration"}},
		"became a daemon":  {withReady(self("becomes a daemon", "CHILD="+freeAddr(t)), never), life.ErrExited, []string{"code 0", "the parent leaves"}},
		"left a child":     {withReady(self("abandon", "CHILD="+freeAddr(t)), never), life.ErrExited, []string{"code 0", "the parent leaves"}},
		"port in the log":  {withReady(self("serve", "ADDR="+taken.Addr().String()), never), life.ErrPortTaken, []string{"another port", "in use"}},
		"port looked at":   {life.Command{Argv: []string{os.Args[0]}, Listens: taken.Addr().String()}, life.ErrPortTaken, []string{taken.Addr().String()}},
		"never ready":      {life.Command{Argv: self("silent").Argv, Env: self("silent").Env, Ready: never, ReadyWithin: 20 * time.Millisecond}, life.ErrNotReady, []string{"20ms", "refused, for example"}},
		"ready that hangs": {life.Command{Argv: self("silent").Argv, Env: self("silent").Env, Ready: hangs, ReadyWithin: 20 * time.Millisecond}, life.ErrNotReady, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newProcess(t, c.command)
			err := p.Start(soon(t))
			var told *life.StartError
			if !errors.Is(err, c.is) || !errors.As(err, &told) {
				t.Fatalf("got %v, want %v", err, c.is)
			}
			for _, words := range c.says {
				if !strings.Contains(err.Error(), words) {
					t.Errorf("%q is not in: %v", words, err)
				}
			}
			if exited := p.Exited(); exited != nil {
				<-exited // nothing is left running
			}
		})
	}
	if _, err := life.NewProcess(life.Command{}); err == nil {
		t.Error("an empty command")
	}
}

func withReady(c life.Command, ready func(context.Context) error) life.Command {
	c.Ready = ready
	return c
}

func hangs(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }

func TestStartEndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	p := newProcess(t, withReady(self("silent"), func(context.Context) error { cancel(); return errors.New("not yet") }))
	if err := p.Start(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	<-p.Exited()
}

func TestKillEndsAStartUnderWay(t *testing.T) {
	t.Parallel()
	looked := make(chan struct{})
	var once sync.Once
	p := newProcess(t, withReady(self("silent"), func(ctx context.Context) error {
		once.Do(func() { close(looked) })
		return hangs(ctx)
	}))
	failed := make(chan error, 1)
	go func() { failed <- p.Start(t.Context()) }()
	<-looked
	if _, err := p.Kill(soon(t)); err != nil {
		t.Error(err)
	}
	if err := <-failed; !errors.Is(err, life.ErrExited) {
		t.Errorf("got %v", err)
	}
}

func TestLogKeepsTheEnd(t *testing.T) {
	t.Parallel()
	p := start(t, self("chatty", "ADDR="+freeAddr(t)))
	p.Kill(soon(t))
	log := p.Log()
	if len(log) != 64<<10 || !strings.HasSuffix(log, "line 19998\nline 19999\nlistening\n") {
		t.Errorf("%d bytes, ending in %q", len(log), log[max(0, len(log)-40):])
	}
}

func TestFreePortIsNotGivenTwice(t *testing.T) {
	t.Parallel()
	seen := map[int]bool{}
	for range 500 {
		port, err := life.FreePort()
		if err != nil || seen[port] {
			t.Fatalf("port %d, %v", port, err)
		}
		seen[port] = true
	}
}

// TestTwoProgramsNeverChooseOnePort: while the target of one is dead nobody listens on its port.
func TestTwoProgramsNeverChooseOnePort(t *testing.T) {
	t.Parallel()
	const first, last = 19000, 19020 // nobody else chooses from these
	one, other := life.FreePortsBetween(first, last), life.FreePortsBetween(first, last)
	seen := map[int]bool{}
	for turn := 0; ; turn++ {
		next := one
		if turn%2 == 1 {
			next = other
		}
		port, err := next()
		if err != nil {
			break
		}
		if seen[port] || port < first || port >= last {
			t.Fatalf("port %d", port)
		}
		seen[port] = true
	}
	if len(seen) < (last-first)/2 {
		t.Errorf("only %d of %d ports were handed out", len(seen), last-first)
	}
}

func BenchmarkStartAndKill(b *testing.B) {
	p, err := life.NewProcess(life.Command{Argv: []string{"sleep", "1000"}})
	if err != nil {
		b.Fatal(err)
	}
	defer p.Close()
	for b.Loop() {
		if err := p.Start(b.Context()); err != nil {
			b.Fatal(err)
		}
		if _, err := p.Kill(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}
