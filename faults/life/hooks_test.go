//go:build unix

package life_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/oncespec/oncespec/faults/life"
)

// diary is hooks that write down what was done.
func diary(t *testing.T) (life.HookCommands, func() string) {
	file := filepath.Join(t.TempDir(), "diary")
	write := func(verb string) string { return `echo "` + verb + `" >> "$DIARY"` }
	return life.HookCommands{
			Start: write("start"), Kill: write("kill"), Stop: write("stop $GRACE"), Pause: write("pause"), Resume: write("resume"),
			Env: []string{"DIARY=" + file},
		}, func() string {
			data, _ := os.ReadFile(file)
			return strings.Join(strings.Split(strings.TrimSpace(string(data)), "\n"), ", ")
		}
}

func TestHooksDoWhatTheyAreToldInOrder(t *testing.T) {
	t.Parallel()
	commands, done := diary(t)
	h := life.NewHooks(commands)
	ctx := soon(t)
	if got := h.Can().String(); got != "start kill stop pause resume" {
		t.Errorf("can: %s", got)
	}
	exit, killed := h.Kill(ctx)
	if exit.Witnessed || exit.When.IsZero() {
		t.Errorf("exit: %+v", exit)
	}
	_, stopped := h.Stop(ctx, 3*time.Second)
	err := errors.Join(killed, h.Restart(ctx), h.Restart(ctx), stopped, h.Restart(ctx), h.Pause(ctx), h.Resume(ctx), h.Pause(ctx), h.Close(), h.Close())
	if err != nil {
		t.Fatal(err)
	}
	// Restart kills only what is up; closing resumes what is paused and stops what we started.
	want := "kill, stop 3, start, kill, start, kill, start, pause, resume, pause, resume, stop 10"
	if got := done(); got != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
	if err := h.Start(ctx); !errors.Is(err, life.ErrClosed) {
		t.Errorf("start after close: %v", err)
	}
}

func TestCloseLeavesATargetAloneThatWeDidNotStart(t *testing.T) {
	t.Parallel()
	commands, done := diary(t)
	if err := life.NewHooks(commands).Close(); err != nil || done() != "" {
		t.Errorf("did %q, error %v", done(), err)
	}
}

// TestPauseThatFailsIsUndone: it may have done its work before it failed, hung, or was cut off.
func TestPauseThatFailsIsUndone(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		then  string
		limit time.Duration
	}{"fails": {"exit 3", 0}, "hangs": {"sleep 600", 200 * time.Millisecond}, "is cut off": {"sleep 600", 0}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			commands, done := diary(t)
			commands.Pause += "; " + c.then
			commands.Limit = c.limit
			h := life.NewHooks(commands)
			ctx, cancel := context.WithCancel(soon(t))
			defer cancel()
			if name == "is cut off" {
				go func() {
					for done() != "pause" {
						time.Sleep(time.Millisecond)
					}
					cancel()
				}()
			}
			if err := h.Pause(ctx); err == nil {
				t.Error("it did not fail")
			}
			if err := h.Close(); err != nil || done() != "pause, resume" {
				t.Errorf("did %s, %v", done(), err)
			}
		})
	}
}

func TestHooksThatAreNotThere(t *testing.T) {
	t.Parallel()
	h := life.NewHooks(life.HookCommands{})
	ctx := soon(t)
	_, kill := h.Kill(ctx)
	_, stop := h.Stop(ctx, 0)
	for _, err := range []error{kill, stop, h.Start(ctx), h.Restart(ctx), h.Pause(ctx), h.Resume(ctx)} {
		if !errors.Is(err, life.ErrCannot) {
			t.Errorf("got %v", err)
		}
	}
	if h.Can() != 0 {
		t.Errorf("can %v", h.Can())
	}
}

func TestWithoutStartHookSomebodyElseBringsItBack(t *testing.T) {
	t.Parallel()
	looks := 0
	h := life.NewHooks(life.HookCommands{Kill: "true", Ready: func(context.Context) error {
		if looks++; looks < 3 {
			return errors.New("not yet")
		}
		return nil
	}})
	if !h.Can().Has(life.CanStart | life.CanKill) {
		t.Errorf("can %v", h.Can())
	}
	if err := h.Restart(soon(t)); err != nil || looks != 3 {
		t.Errorf("%d looks, %v", looks, err)
	}
	never := life.NewHooks(life.HookCommands{Start: "true", ReadyWithin: 10 * time.Millisecond, Ready: func(context.Context) error { return errors.New("refused") }})
	t.Cleanup(func() { never.Close() })
	if err := never.Start(soon(t)); !errors.Is(err, life.ErrNotReady) || !strings.Contains(err.Error(), "refused") {
		t.Errorf("never ready: %v", err)
	}
}

func TestHookFailures(t *testing.T) {
	t.Parallel()
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for name, c := range map[string]struct {
		ctx   context.Context
		hook  string
		limit time.Duration
		says  string
	}{
		"exit code":  {t.Context(), "echo no such pod; exit 4", 0, "hook kill (echo no such pod; exit 4): exit status 4\nIt wrote:\n  no such pod"},
		"time limit": {t.Context(), "echo waiting; exec sleep 1000", 20 * time.Millisecond, "still running after 20ms"},
		"cancelled":  {cancelled, "sleep 1000", 0, "context canceled"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := life.NewHooks(life.HookCommands{Kill: c.hook, Limit: c.limit})
			if _, err := h.Kill(c.ctx); err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("got %v, want %q", err, c.says)
			}
		})
	}
}

// A hook may leave the target in the background; it must be able to go on, and to write.
func TestTargetLeftInTheBackgroundByAHook(t *testing.T) {
	t.Parallel()
	addr := freeAddr(t)
	h := life.NewHooks(life.HookCommands{
		Start: `"$SELF" & echo $! > "$DIR/pid"`, Stop: `kill -9 $(cat "$DIR/pid")`,
		Env:   []string{"SELF=" + os.Args[0], "ROLE=chatty", "ADDR=" + addr, "DIR=" + t.TempDir()},
		Ready: accepts(addr), ReadyWithin: patience,
	})
	if err := h.Start(soon(t)); err != nil {
		t.Fatal(err)
	}
	line := hold(t, addr)
	line.alive(t)
	if err := h.Close(); err != nil {
		t.Fatal(err)
	}
	line.breaks(t)
}
