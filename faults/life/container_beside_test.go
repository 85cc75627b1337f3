//go:build unix

package life_test

import (
	"testing"
)

// Replicas are containers of one image on one volume; the first owns both.
func TestContainersBesideOneAnother(t *testing.T) {
	t.Parallel()
	networks(t, func(t *testing.T, port int) {
		first := startContainer(t, box(t, port, "serve"))
		b := box(t, port, "serve")
		b.Beside = first
		second := newContainer(t, b) // closed before the first
		for n, want := range []string{"start 2\nlistening\n", "start 3\nlistening\n"} {
			if err := second.Restart(soon(t)); err != nil {
				t.Fatal(err)
			}
			if _, err := second.Kill(soon(t)); err != nil {
				t.Fatal(err)
			}
			if second.Log() != want { // it counts on the volume
				t.Errorf("start %d: %q, want %q", n+1, second.Log(), want)
			}
		}
		if err := first.Pause(soon(t)); err != nil {
			t.Fatal(err)
		}
		if err := second.Start(soon(t)); err != nil {
			t.Errorf("beside one that stands still: %v", err)
		}
	})
}

func TestContainerBesideNothing(t *testing.T) {
	t.Parallel()
	b := box(t, 0, "serve")
	b.Beside = newContainer(t, box(t, 0, "serve"))
	if err := newContainer(t, b).Start(soon(t)); err == nil {
		t.Error("it shares the volume of a container that is not there")
	}
}
