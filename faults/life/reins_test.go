//go:build unix

package life_test

import (
	"errors"
	"testing"

	"github.com/oncespec/oncespec/faults/life"
)

// TestReins: a process is stopped and let go again and again, and answers what came meanwhile.
func TestReins(t *testing.T) {
	t.Parallel()
	addr := freeAddr(t)
	p := start(t, self("serve", "ADDR="+addr))
	if !p.Can().Has(life.CanPause | life.CanResume) {
		t.Skip("nothing can be frozen here")
	}
	line := hold(t, addr)
	if err := p.Pause(soon(t)); err != nil {
		t.Fatal(err)
	}
	r, can := life.TakeReins(p)
	if !can {
		t.Fatal("a process that stands still has no reins")
	}
	for range 5 {
		line.Write([]byte("?"))
		if err := r.Go(); err != nil {
			t.Fatal(err)
		}
		if n, err := line.Read(make([]byte, 1)); n != 1 {
			t.Fatalf("no answer after it was let go: %v", err)
		}
		if err := r.Stop(); err != nil {
			t.Fatal(err)
		}
		if state := state(t, p.PID()); state != "T" {
			t.Errorf("state %s after a stop, want T", state)
		}
	}
	if _, err := p.Kill(soon(t)); err != nil {
		t.Fatalf("it cannot be killed where it stands: %v", err)
	}
	if err := r.Go(); !errors.Is(err, life.ErrNotRunning) {
		t.Errorf("dead: %v", err)
	}
	if _, can := life.TakeReins(p); can {
		t.Error("one that is dead has reins")
	}
	if _, can := life.TakeReins(resumed{}); can {
		t.Error("what is no process has reins")
	}
}
