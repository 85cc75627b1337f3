//go:build unix

package life_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/oncespec/oncespec/faults/leaktest"
	"github.com/oncespec/oncespec/faults/life"
)

// The test binary plays the targets, too: ROLE says which.
func TestMain(m *testing.M) {
	if role := os.Getenv("ROLE"); role != "" {
		play(role)
		return
	}
	dir, err := os.MkdirTemp("", "life-test-")
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	programs = dir
	code := leaktest.Run(m)
	os.RemoveAll(dir)
	os.Exit(code)
}

func play(role string) {
	switch role {
	case "serve":
		serve(os.Getenv("ADDR"))
	case "stubborn": // does not listen to SIGTERM
		signal.Ignore(syscall.SIGTERM)
		serve(os.Getenv("ADDR"))
	case "polite": // tidies up on SIGTERM
		asked := make(chan os.Signal, 1)
		signal.Notify(asked, syscall.SIGTERM)
		go serve(os.Getenv("ADDR"))
		<-asked
		os.Exit(7)
	case "family": // has a stubborn child in its group
		startChild(nil)
		serve(os.Getenv("ADDR"))
	case "daemon": // has a stubborn child that has left its group
		startChild(&syscall.SysProcAttr{Setsid: true})
		serve(os.Getenv("ADDR"))
	case "becomes a daemon": // leaves a child behind that has left its group
		startChild(&syscall.SysProcAttr{Setsid: true})
		fmt.Println("the parent leaves")
	case "forks": // as fast as it can, out of its group
		forkOn()
	case "abandon": // leaves a child behind
		startChild(nil)
		fmt.Println("the parent leaves")
	case "exit":
		fmt.Fprintln(os.Stderr, "cannot read the configuration")
		os.Exit(3)
	case "silent":
		select {}
	case "chatty":
		for i := range 20_000 {
			fmt.Printf("line %d\n", i)
		}
		serve(os.Getenv("ADDR"))
	case "container harness":
		playContainerHarness()
	case "docker":
		playDockerAsker()
	case "hook harness": // pauses a target of somebody else's, and is killed
		h := life.NewHooks(life.HookCommands{Pause: `echo pause >> "$DIARY"`, Resume: `echo resume >> "$DIARY"`, Kill: "true"})
		fmt.Println("started", h.Pause(context.Background()))
		select {}
	case "harness": // runs a target of its own, until it is killed
		p, err := life.NewProcess(self(os.Getenv("TARGET"), "ADDR="+os.Getenv("ADDR"), "CHILD="+os.Getenv("CHILD")))
		if err == nil {
			err = p.Start(context.Background())
		}
		fmt.Println("started", err)
		select {}
	}
}

func startChild(attributes *syscall.SysProcAttr) {
	child := exec.Command(os.Args[0])
	child.SysProcAttr = attributes
	child.Env = append(os.Environ(), "ROLE=stubborn", "ADDR="+os.Getenv("CHILD"))
	out, err := child.StdoutPipe()
	if err == nil {
		err = child.Start()
	}
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	bufio.NewReader(out).ReadString('\n') // it listens
}

// forkOn starts two copies of itself in sessions of their own, up to a depth, and waits.
func forkOn() {
	depth, _ := strconv.Atoi(os.Getenv("DEPTH"))
	for range 2 {
		if depth > 4 {
			break
		}
		child := exec.Command(os.Args[0])
		child.Env = append(os.Environ(), fmt.Sprintf("DEPTH=%d", depth+1))
		child.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		if err := child.Start(); err != nil {
			fmt.Println(err)
		}
	}
	select {}
}

// serve echoes on every connection.
func serve(addr string) {
	l, err := net.Listen("tcp", addr)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println("listening")
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		go io.Copy(c, c)
	}
}

// self is a command that plays a role.
func self(role string, env ...string) life.Command {
	c := life.Command{Argv: []string{os.Args[0], "a target that plays", role}, Env: append(env, "ROLE="+role), ReadyWithin: patience}
	for _, e := range env {
		if addr, ok := strings.CutPrefix(e, "ADDR="); ok {
			c.Ready = accepts(addr)
		}
	}
	return c
}

func accepts(addr string) func(context.Context) error {
	return func(ctx context.Context) error {
		c, err := new(net.Dialer).DialContext(ctx, "tcp", addr)
		if err == nil {
			c.Close()
		}
		return err
	}
}

// patience is how long a test waits for an event that is certain to come.
const patience = 30 * time.Second

func soon(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	return ctx
}

func freeAddr(t *testing.T) string {
	t.Helper()
	port, err := life.FreePort()
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("127.0.0.1:%d", port)
}

func newProcess(t *testing.T, c life.Command) *life.Process {
	t.Helper()
	p, err := life.NewProcess(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return p
}

func start(t *testing.T, c life.Command) *life.Process {
	t.Helper()
	p := newProcess(t, c)
	if err := p.Start(soon(t)); err != nil {
		t.Fatal(err)
	}
	return p
}

// lifeline is a connection to a process that serves: it breaks when the process is dead, and not before.
type lifeline struct{ net.Conn }

func hold(t *testing.T, addr string) lifeline {
	t.Helper()
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	c.SetDeadline(time.Now().Add(patience))
	return lifeline{c}
}

func (l lifeline) alive(t *testing.T) {
	t.Helper()
	l.Write([]byte("?"))
	if _, err := io.ReadFull(l, make([]byte, 1)); err != nil {
		t.Fatalf("process at %v is dead: %v", l.RemoteAddr(), err)
	}
}

func (l lifeline) breaks(t *testing.T) {
	t.Helper()
	_, err := l.Read(make([]byte, 1))
	if timeout, ok := err.(net.Error); err == nil || ok && timeout.Timeout() {
		t.Fatalf("process at %v lives on", l.RemoteAddr())
	}
}
