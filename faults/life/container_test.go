//go:build unix

package life_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/oncespec/oncespec/faults/life"
)

// networks are the two ways to reach a container: its own network, and this machine's.
func networks(t *testing.T, test func(t *testing.T, port int)) {
	for name, port := range map[string]int{"this machine's network": 0, "a network of its own": 8080} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, port)
		})
	}
}

func TestContainerIsKilledAndStartsAgainOnItsVolume(t *testing.T) {
	t.Parallel()
	networks(t, func(t *testing.T, port int) {
		b := box(t, port, "stubborn")
		c := startContainer(t, b)
		if got := c.Can().String(); got != "start kill stop pause resume" {
			t.Errorf("can: %s", got)
		}
		for n := 1; n <= 2; n++ {
			line := hold(t, b.Listens)
			line.alive(t)
			before := time.Now()
			exit, err := c.Kill(soon(t))
			if err != nil || !exit.Witnessed || exit.Signal != "SIGKILL" || exit.Code != -1 || exit.OutOfMemory || exit.Container == "" {
				t.Errorf("kill: %+v, %v", exit, err)
			}
			if exit.When.Before(before.Add(-time.Second)) || exit.When.After(time.Now().Add(time.Second)) {
				t.Errorf("ended at %v, but was killed after %v", exit.When, before)
			}
			line.breaks(t)
			if want := fmt.Sprintf("start %d\nlistening\n", n); c.Log() != want { // whole, now that it has ended
				t.Errorf("log of start %d: %q, want %q", n, c.Log(), want)
			}
			if nobody, err := net.Dial("tcp", b.Listens); err == nil {
				nobody.Close()
				t.Error("somebody takes connections although it is dead")
			}
			if again, err := c.Kill(soon(t)); !errors.Is(err, life.ErrNotRunning) || again != exit {
				t.Errorf("killing what is dead: %+v, %v", again, err)
			}
			if err := c.Restart(soon(t)); err != nil {
				t.Fatal(err)
			}
			if err := c.Start(soon(t)); !errors.Is(err, life.ErrRunning) {
				t.Errorf("start of what runs: %v", err)
			}
		}
		if err := errors.Join(c.Restart(soon(t)), c.Close(), c.Close()); err != nil {
			t.Fatal(err)
		}
		if c.Log() != "start 4\nlistening\n" {
			t.Errorf("log after close: %q", c.Log())
		}
		if err := c.Start(soon(t)); !errors.Is(err, life.ErrClosed) {
			t.Errorf("start after close: %v", err)
		}
	})
}

func TestContainerStandsStillAndGoesOn(t *testing.T) {
	t.Parallel()
	networks(t, func(t *testing.T, port int) {
		b := box(t, port, "serve")
		c := startContainer(t, b)
		line := hold(t, b.Listens)
		line.alive(t)
		for range 2 {
			if err := errors.Join(c.Pause(soon(t)), c.Pause(soon(t))); err != nil {
				t.Fatal(err)
			}
			line.Write([]byte("?"))
			line.SetReadDeadline(time.Now().Add(20 * time.Millisecond))
			if n, err := line.Read(make([]byte, 1)); n != 0 || !errors.Is(err, os.ErrDeadlineExceeded) {
				t.Errorf("answered while it stood still: %d bytes, %v", n, err)
			}
			line.SetDeadline(time.Now().Add(patience))
			if err := errors.Join(c.Resume(soon(t)), c.Resume(soon(t))); err != nil {
				t.Fatal(err)
			}
			if _, err := io.ReadFull(line, make([]byte, 1)); err != nil {
				t.Fatalf("no answer after resuming: %v", err)
			}
		}
	})
}

func TestContainerIsStoppedWithAGrace(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, role string
		grace      time.Duration
		paused     bool
		want       string
	}{
		{"it tidies up", "polite", patience, false, "code 7"},
		{"it does not listen", "stubborn", time.Millisecond, false, "SIGKILL"},
		{"it stood still", "polite", patience, true, "code 7"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			target := startContainer(t, box(t, 0, c.role))
			if c.paused {
				if err := target.Pause(soon(t)); err != nil {
					t.Fatal(err)
				}
			}
			exit, err := target.Stop(soon(t), c.grace)
			if err != nil || !strings.HasSuffix(exit.String(), c.want) {
				t.Errorf("%v, %v; want %s", exit, err, c.want)
			}
			for verb, err := range map[string]error{"pause": target.Pause(soon(t)), "resume": target.Resume(soon(t))} {
				if !errors.Is(err, life.ErrNotRunning) {
					t.Errorf("%s of what is stopped: %v", verb, err)
				}
			}
		})
	}
}

func TestPausedContainerCanBeKilled(t *testing.T) {
	t.Parallel()
	c := startContainer(t, box(t, 0, "serve"))
	if err := c.Pause(soon(t)); err != nil {
		t.Fatal(err)
	}
	if exit, err := c.Kill(soon(t)); err != nil || exit.Signal != "SIGKILL" {
		t.Errorf("%v, %v", exit, err)
	}
}

func TestContainerStartErrors(t *testing.T) {
	t.Parallel()
	needDocker(t)
	dynamic := filepath.Join(t.TempDir(), "script")
	if err := os.WriteFile(dynamic, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	never := func(context.Context) error { return errors.New("connection refused, for example") }
	for name, c := range map[string]struct {
		role   string
		change func(*life.Box)
		is     error
		says   []string
	}{
		"dies at once":    {"exit", func(b *life.Box) { b.Ready = never }, life.ErrExited, []string{"container of program exit", "ended with code 3", "It wrote:", "cannot read the configuration"}},
		"never ready":     {"silent", func(b *life.Box) { b.Ready, b.ReadyWithin = never, 20*time.Millisecond }, life.ErrNotReady, []string{"20ms", "refused, for example"}},
		"no such image":   {"serve", func(b *life.Box) { b.Image = life.Image{Ref: "127.0.0.1:1/oncespec/nothing:none"} }, nil, []string{"127.0.0.1:1/oncespec/nothing:none is not here and cannot be pulled"}},
		"no such program": {"serve", func(b *life.Box) { b.Image.Program = "/no/such/program" }, life.ErrNotFound, []string{"/no/such/program"}},
		"no program":      {"serve", func(b *life.Box) { b.Image.Program = dynamic }, life.ErrNotStatic, []string{"CGO_ENABLED=0 GOOS=linux"}},
		"no such folder":  {"serve", func(b *life.Box) { b.Image = life.Image{Build: "/no/such/folder"} }, life.ErrNotFound, []string{"/no/such/folder"}},
		"no such file":    {"serve", func(b *life.Box) { b.Image.Files = map[string]string{"/etc/conf": "/no/such/conf"} }, os.ErrNotExist, []string{"/no/such/conf"}},
		"broken recipe":   {"serve", func(b *life.Box) { b.Image = life.Image{Build: recipe(t, "FROM scratch\nCOPY missing /\n")} }, nil, []string{"missing"}},
		"nothing to run": {"serve", func(b *life.Box) {
			b.Image = life.Image{Build: recipe(t, "FROM scratch\nCOPY . /\nENTRYPOINT [\"/nothing\"]\n")}
		}, life.ErrNotFound, []string{"the image does not hold what is to be run"}},
		"port taken":         {"serve", func(b *life.Box) { taken(t, b.Listens) }, life.ErrPortTaken, []string{"another port"}},
		"published, taken":   {"serve", func(b *life.Box) { b.Port = 8080; taken(t, b.Listens) }, life.ErrPortTaken, []string{"another port"}},
		"port in the output": {"serve", func(b *life.Box) { free := b.Listens; b.Listens = freeAddr(t); taken(t, free) }, life.ErrPortTaken, []string{"address already in use"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := box(t, 0, c.role)
			c.change(&b)
			target := newContainer(t, b)
			err := target.Start(soon(t))
			var told *life.StartError
			if !errors.As(err, &told) || c.is != nil && !errors.Is(err, c.is) {
				t.Fatalf("got %v, want %v", err, c.is)
			}
			for _, words := range c.says {
				if !strings.Contains(err.Error(), words) {
					t.Errorf("%q is not in: %v", words, err)
				}
			}
			if _, err := target.Kill(soon(t)); !errors.Is(err, life.ErrNotRunning) {
				t.Errorf("it runs although it did not start: %v", err)
			}
		})
	}
}

// taken sees to it that nobody can listen there. Where it is taken by now that is so: any program's outgoing connection may be
// given a port that was free a moment ago, and keeps it for a minute after its end.
func taken(t *testing.T, addr string) {
	l, err := net.Listen("tcp", addr)
	switch {
	case err == nil:
		t.Cleanup(func() { l.Close() })
	case !errors.Is(err, syscall.EADDRINUSE):
		t.Fatal(err)
	}
}

// recipe is a folder to build an image from.
func recipe(t *testing.T, text string) string {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "Dockerfile"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestContainerFromAFolder(t *testing.T) {
	t.Parallel()
	b := box(t, 0, "serve")
	dir := recipe(t, "FROM scratch\nCOPY program /bin/program\nENTRYPOINT [\"/bin/program\"]\n")
	data, err := os.ReadFile(b.Image.Program)
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "program"), data, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	b.Image = life.Image{Build: dir}
	startContainer(t, b)
}

func TestCloseEndsAStartUnderWay(t *testing.T) {
	t.Parallel()
	b := box(t, 0, "silent")
	looked := make(chan struct{})
	var once sync.Once
	b.Ready = func(ctx context.Context) error { once.Do(func() { close(looked) }); return hangs(ctx) }
	c := newContainer(t, b)
	failed := make(chan error, 1)
	go func() { failed <- c.Start(t.Context()) }()
	<-looked
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	if err := <-failed; err == nil {
		t.Error("started although it was closed")
	}
}

func TestContainerBoxesThatCannotBe(t *testing.T) {
	t.Parallel()
	for name, b := range map[string]life.Box{
		"no image":       {Listens: "127.0.0.1:1"},
		"two images":     {Listens: "127.0.0.1:1", Image: life.Image{Ref: "a", Program: "b"}},
		"no address":     {Image: life.Image{Ref: "a"}},
		"for all to see": {Image: life.Image{Ref: "a"}, Listens: "0.0.0.0:80"},
	} {
		if _, err := life.NewContainer(b); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

// A run that was killed leaves a container behind; the next one removes it, and leaves those of others alone.
func TestNextStartRemovesWhatAKilledRunLeft(t *testing.T) {
	t.Parallel()
	b := box(t, 0, "serve")
	harness, name := containerHarness(t, b)
	startContainer(t, b)
	if left := life.Named(t, name); left != "container image volume" {
		t.Errorf("of the run that lives on there is only %q", left)
	}
	harness.Process.Kill()
	harness.Wait()
	if left := life.Named(t, name); left != "container image volume" {
		t.Errorf("the run that was killed left only %q", left)
	}
	b.Listens = freeAddr(t)
	b.Env = []string{"ADDR=" + b.Listens}
	b.Ready = echoes(b.Listens)
	startContainer(t, b)
	if left := life.Named(t, name); left != "" {
		t.Errorf("left behind: %s", left)
	}
}

// playContainerHarness runs a container until it is killed.
func playContainerHarness() {
	addr := os.Getenv("ADDR")
	c, err := life.NewContainer(life.Box{Image: life.Image{Program: os.Getenv("PROGRAM")}, Args: []string{"serve"}, Env: []string{"ADDR=" + addr},
		Volume: "/data", Listens: addr, Ready: echoes(addr), ReadyWithin: patience})
	if err == nil {
		err = c.Start(context.Background())
	}
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println("started", life.NameOf(c))
	select {}
}

func TestDockerThatIsNotThere(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		host string
		says []string
	}{
		"nobody answers":     {"tcp://127.0.0.1:1", []string{"Docker at tcp://127.0.0.1:1 (from DOCKER_HOST)", "does not answer"}},
		"no such socket":     {"unix:///no/such/docker.sock", []string{"Docker at unix:///no/such/docker.sock (from DOCKER_HOST)", "does not answer"}},
		"no address":         {"nonsense", []string{"Docker at nonsense (from DOCKER_HOST)"}},
		"on another machine": {"ssh://builder.example.test", []string{"Docker at ssh://builder.example.test (from DOCKER_HOST)"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			asks := exec.CommandContext(soon(t), os.Args[0]) // the library looks for Docker once a program
			asks.Env = append(os.Environ(), "ROLE=docker", "DOCKER_HOST="+c.host)
			out, err := asks.CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			for _, words := range c.says {
				if !strings.Contains(string(out), words) {
					t.Errorf("%q is not in: %s", words, out)
				}
			}
		})
	}
}

// playDockerAsker says what comes of looking for Docker.
func playDockerAsker() {
	_, _, err := life.ReachHost(context.Background())
	var told *life.DockerError
	fmt.Println(errors.As(err, &told), err)
}

// TestStartThatIsCutOffLeavesNothing: whatever is being done when a start is given up, Close leaves nothing of it.
func TestStartThatIsCutOffLeavesNothing(t *testing.T) {
	t.Parallel()
	b := box(t, 0, "serve")
	for _, after := range []time.Duration{20, 120, 300, 700} {
		t.Run(fmt.Sprintf("after %d ms", after), func(t *testing.T) {
			t.Parallel()
			b := b
			b.Listens = freeAddr(t)
			b.Env = []string{"ADDR=" + b.Listens}
			b.Ready = hangs
			c := newContainer(t, b) // looks for what is left when the test ends
			ctx, cancel := context.WithTimeout(t.Context(), after*time.Millisecond)
			defer cancel()
			if err := c.Start(ctx); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("got %v", err)
			}
		})
	}
}
