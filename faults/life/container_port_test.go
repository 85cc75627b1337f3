//go:build unix

package life_test

import (
	"context"
	"errors"
	"testing"

	"github.com/oncespec/oncespec/faults/life"
	"github.com/oncespec/oncespec/faults/link"
)

// Docker chooses the port at each start; what stands in front follows.
func TestWireFollowsAContainerWhosePortChanges(t *testing.T) {
	t.Parallel()
	b := box(t, 8080, "serve")
	b.Listens = "127.0.0.1:0"
	var c *life.Container
	b.Ready = func(ctx context.Context) error {
		addr, err := c.Addr()
		if err != nil {
			return err
		}
		return echoes(addr)(ctx)
	}
	c = newContainer(t, b)
	if addr, err := c.Addr(); !errors.Is(err, life.ErrNotRunning) {
		t.Errorf("before it was started: %q, %v", addr, err)
	}
	if err := c.Start(soon(t)); err != nil {
		t.Fatal(err)
	}
	links := link.New()
	t.Cleanup(links.Close)
	w, err := links.Open(t.Context(), link.Upstream{Addr: b.Listens, Find: c.Addr}, link.Plan{})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := echoes(w.Addr)(soon(t)); err != nil {
			t.Fatal("through the wire: ", err)
		}
		before, err := c.Addr()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Kill(soon(t)); err != nil {
			t.Fatal(err)
		}
		if err := echoes(w.Addr)(soon(t)); err == nil {
			t.Error("somebody answered through the wire although it is dead")
		}
		if addr, err := c.Addr(); !errors.Is(err, life.ErrNotRunning) {
			t.Errorf("while it is dead: %q, %v", addr, err)
		}
		taken(t, before) // so that Docker has to choose another one
		if err := c.Start(soon(t)); err != nil {
			t.Fatal(err)
		}
		if after, err := c.Addr(); after == before || err != nil {
			t.Errorf("it was at %s and is at %s, %v", before, after, err)
		}
		if err := echoes(w.Addr)(soon(t)); err != nil {
			t.Error("the wire did not follow: ", err)
		}
	}
}
