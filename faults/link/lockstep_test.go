package link_test

import (
	"context"
	"sync"
	"testing"
)

// TestLockstep: all have looked before anybody writes.
func TestLockstep(t *testing.T) {
	t.Parallel()
	const n = 8
	lines := make(chan string, 2*n)
	r := relay(t, lines)
	lock := r.Lockstep(n)
	if err := lock.Arm(t.Context()); err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for range n {
		c := enter(t, r)
		all.Go(func() {
			c.say("look")
			c.hear("re: look")
			c.say("write")
			c.hear("re: write")
		})
	}
	for range n { // all are held before the first step, whatever the machine does
		if line := <-lines; line != "look" {
			t.Fatalf("somebody said %q before all had looked", line)
		}
	}
	lock.Run(t.Context())
	all.Wait()
	lock.End()
	if most := lock.Most(); most != n {
		t.Errorf("%d were held at one moment, want %d", most, n)
	}
}

// TestLockstepEndsWithItsContext: what is held goes on.
func TestLockstepEndsWithItsContext(t *testing.T) {
	t.Parallel()
	lines := make(chan string, 1)
	r := relay(t, lines)
	lock := r.Lockstep(2)
	lock.Run(t.Context()) // not armed: nothing to do
	if err := lock.Arm(t.Context()); err != nil {
		t.Fatal(err)
	}
	c := enter(t, r)
	c.say("look")
	<-lines
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	lock.Run(ended)
	c.hear("re: look")
}
