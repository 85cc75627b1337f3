//go:build unix

package life_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/oncespec/oncespec/faults/life"
	"github.com/oncespec/oncespec/faults/needtest"
)

func needDocker(t *testing.T) {
	t.Helper()
	_, _, err := life.ReachHost(soon(t))
	needtest.Have(t, "docker", err)
}

// program builds the target of these tests, once.
var program = sync.OnceValues(func() (string, error) { return compile("program", "CGO_ENABLED=0") })

var programs string // folder of what was compiled

func compile(name string, env ...string) (string, error) {
	file := filepath.Join(programs, name)
	build := exec.Command("go", "build", "-o", file, "./testdata/box")
	build.Env = append(os.Environ(), env...)
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return file, nil
}

// box is a container that plays a role; it is ready when it echoes.
func box(t *testing.T, port int, role string) life.Box {
	t.Helper()
	needDocker(t)
	file, err := program()
	if err != nil {
		t.Fatal(err)
	}
	outside := freeAddr(t)
	inside := outside
	if port != 0 {
		inside = fmt.Sprintf("0.0.0.0:%d", port)
	}
	return life.Box{Image: life.Image{Program: file}, Args: []string{role}, Env: []string{"ADDR=" + inside, "NOTES=/data/notes"}, Volume: "/data",
		Port: port, Listens: outside, Ready: echoes(outside), ReadyWithin: patience}
}

func echoes(addr string) func(context.Context) error {
	return func(ctx context.Context) error {
		c, err := new(net.Dialer).DialContext(ctx, "tcp", addr)
		if err != nil {
			return err
		}
		defer c.Close()
		c.SetDeadline(time.Now().Add(time.Second))
		c.Write([]byte("?"))
		_, err = io.ReadFull(c, make([]byte, 1))
		return err
	}
}

func newContainer(t *testing.T, b life.Box) *life.Container {
	t.Helper()
	c, err := life.NewContainer(b)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		if left := life.Belongings(t, c); left != "" {
			t.Error("left behind: ", left)
		}
	})
	return c
}

func startContainer(t *testing.T, b life.Box) *life.Container {
	t.Helper()
	c := newContainer(t, b)
	if err := c.Start(soon(t)); err != nil {
		t.Fatal(err)
	}
	return c
}
