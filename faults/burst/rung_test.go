package burst_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/oncespec/oncespec/faults/burst"
)

// held is a target that takes requests while it stands still, and answers once it is let go.
type held struct {
	mu   sync.Mutex
	log  []string
	goes chan struct{}
	arm  error
}

func (h *held) note(what string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.log = append(h.log, what)
}

func (h *held) Pause(context.Context) error { h.note("pause"); return h.arm }

func (h *held) Resume(context.Context) error {
	h.note("resume")
	close(h.goes)
	return nil
}

func (h *held) shots(n int) []burst.Shot {
	h.goes = make(chan struct{})
	shots := make([]burst.Shot, n)
	for i := range shots {
		there := make(chan struct{})
		shots[i].Delivered = there
		shots[i].Send = func(ctx context.Context, f *burst.Flight) {
			h.note("there")
			close(there)
			<-h.goes
			h.note("answered")
		}
	}
	return shots
}

// TestRungHoldsUntilAllAreThere: pause, all requests, resume, all answers, in that order.
func TestRungHoldsUntilAllAreThere(t *testing.T) {
	t.Parallel()
	const n = 10
	h := new(held)
	rung, ended := burst.Freeze(h), false
	rung.End = func() { ended = true }
	v := burst.Fire(t.Context(), rung, h.shots(n))
	want := slices.Concat([]string{"pause"}, slices.Repeat([]string{"there"}, n), []string{"resume"}, slices.Repeat([]string{"answered"}, n))
	if !slices.Equal(h.log, want) || v.Delivered != n || v.LetGo.IsZero() || v.Err != nil || !ended {
		t.Errorf("%+v, %q", v, h.log)
	}
}

// TestRungThatFails: the shots go all the same, and what was half done is undone.
func TestRungThatFails(t *testing.T) {
	t.Parallel()
	h := &held{arm: errors.New("it would not stand still")}
	v := burst.Fire(t.Context(), burst.Freeze(h), h.shots(3))
	if v.Err == nil || !strings.Contains(v.Err.Error(), "stand still") || v.Delivered != 0 || !slices.Contains(h.log, "resume") || len(v.Flights) != 3 {
		t.Errorf("%+v, %q", v, h.log)
	}
}

// TestRungLetsGoOfWhatNeverComes: requests that ended, and a burst that was ended, hold nothing up.
func TestRungLetsGoOfWhatNeverComes(t *testing.T) {
	t.Parallel()
	h := new(held)
	shots := h.shots(2)
	shots = append(shots, burst.Shot{Delivered: make(chan struct{}), Send: func(context.Context, *burst.Flight) {}})
	if v := burst.Fire(t.Context(), burst.Freeze(h), shots); v.Delivered != 2 || v.Err != nil {
		t.Errorf("one that ended: %+v", v)
	}
	ctx, cancel := context.WithCancel(t.Context())
	h = new(held)
	h.goes = make(chan struct{})
	stuck := burst.Shot{Delivered: make(chan struct{}), Send: func(context.Context, *burst.Flight) {
		cancel()
		<-h.goes
	}}
	if v := burst.Fire(ctx, burst.Freeze(h), []burst.Shot{stuck}); v.Delivered != 0 || !slices.Contains(h.log, "resume") {
		t.Errorf("a burst that was ended: %+v, %q", v, h.log)
	}
}
