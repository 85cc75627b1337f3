package valve_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/oncespec/oncespec/faults/leaktest"
	"github.com/oncespec/oncespec/faults/valve"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

func soon(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	t.Cleanup(cancel)
	return ctx
}

// pass sends a caller and hands over its fate when it has one.
func pass[T any](ctx context.Context, v *valve.Valve[T], caller T) <-chan valve.Outcome {
	fate := make(chan valve.Outcome, 1)
	go func() { fate <- v.Pass(ctx, caller) }()
	return fate
}

func everyone(string) bool { return true }

func TestDecisions(t *testing.T) {
	t.Parallel()
	for want, decide := range map[valve.Outcome]func(*valve.Valve[string], *valve.Hold[string]){
		{Fate: valve.Released}:          func(_ *valve.Valve[string], r *valve.Hold[string]) { r.Release() },
		{Fate: valve.Forced}:            func(_ *valve.Valve[string], r *valve.Hold[string]) { r.Force() },
		{Fate: valve.Failed, Code: 503}: func(_ *valve.Valve[string], r *valve.Hold[string]) { r.Fail(503) },
		{Fate: valve.Dropped}:           func(_ *valve.Valve[string], r *valve.Hold[string]) { r.Drop() },
		{Fate: valve.Closed}:            func(v *valve.Valve[string], _ *valve.Hold[string]) { v.Close() },
	} {
		t.Run(want.Fate.String(), func(t *testing.T) {
			t.Parallel()
			var v valve.Valve[string]
			hold := v.Hold(everyone, 0)
			one, two := pass(t.Context(), &v, "one"), pass(t.Context(), &v, "two")
			came, err := hold.Wait(soon(t), 2)
			if err != nil || len(came) != 2 || hold.Arrived() != 2 {
				t.Fatalf("came %v, error %v, held %d", came, err, hold.Arrived())
			}
			select {
			case <-one:
				t.Fatal("not held")
			case <-two:
				t.Fatal("not held")
			default:
			}
			decide(&v, hold)
			hold.Drop() // comes too late
			for _, fate := range []<-chan valve.Outcome{one, two} {
				if got := <-fate; got != want {
					t.Errorf("got %v, want %v", got, want)
				}
			}
		})
	}
}

func TestOnlyMatchesAreHeldAndOnlyUpToTheLimit(t *testing.T) {
	t.Parallel()
	var v valve.Valve[string]
	hold := v.Hold(func(s string) bool { return strings.HasPrefix(s, "a") }, 1)
	held := pass(t.Context(), &v, "a1")
	if came, err := hold.Wait(soon(t), 1); err != nil || came[0] != "a1" {
		t.Fatal(came, err)
	}
	for _, other := range []string{"b", "a2"} {
		if got := v.Pass(t.Context(), other); got.Fate != valve.Through {
			t.Errorf("%s: %v, want through", other, got)
		}
	}
	hold.Release()
	if got := <-held; got.Fate != valve.Released {
		t.Errorf("a1: %v", got)
	}
	if got := v.Pass(t.Context(), "a3"); got.Fate != valve.Through {
		t.Errorf("after the decision: %v, want through", got)
	}
}

func TestTheRulePlacedFirstHolds(t *testing.T) {
	t.Parallel()
	var v valve.Valve[string]
	first, second := v.Hold(everyone, 1), v.Hold(everyone, 1)
	a := pass(t.Context(), &v, "a")
	if _, err := first.Wait(soon(t), 1); err != nil {
		t.Fatal(err)
	}
	b := pass(t.Context(), &v, "b")
	if _, err := second.Wait(soon(t), 1); err != nil {
		t.Fatal(err)
	}
	second.Drop()
	if got := <-b; got.Fate != valve.Dropped {
		t.Errorf("b: %v", got)
	}
	first.Release()
	if got := <-a; got.Fate != valve.Released {
		t.Errorf("a: %v", got)
	}
}

func TestCallerWhoseContextEndsLeaves(t *testing.T) {
	t.Parallel()
	var v valve.Valve[string]
	hold := v.Hold(everyone, 0)
	ctx, cancel := context.WithCancel(t.Context())
	fate := pass(ctx, &v, "a")
	if _, err := hold.Wait(soon(t), 1); err != nil {
		t.Fatal(err)
	}
	cancel()
	if got := <-fate; got.Fate != valve.Left {
		t.Errorf("got %v, want left", got)
	}
	if came, err := hold.Wait(soon(t), 1); err != nil || came[0] != "a" {
		t.Errorf("one that left did arrive: %v, %v", came, err)
	}
}

func TestWaitingEnds(t *testing.T) {
	t.Parallel()
	var v valve.Valve[string]
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	hold := v.Hold(everyone, 0)
	if _, err := hold.Wait(gone, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("ended context: %v", err)
	}
	hold.Release()
	if _, err := hold.Wait(soon(t), 1); err == nil {
		t.Error("waited for a caller at a hold that was decided")
	}
	v.Close()
	v.Close()
	after := v.Hold(everyone, 0)
	if _, err := after.Wait(soon(t), 1); !errors.Is(err, valve.ErrClosed) {
		t.Errorf("closed valve: %v", err)
	}
	after.Release()
	if got := v.Pass(t.Context(), "late"); got.Fate != valve.Closed {
		t.Errorf("closed valve: %v", got)
	}
}

func TestManyCallersAndDecisionsAtOnce(t *testing.T) {
	t.Parallel()
	var v valve.Valve[int]
	var callers, deciders sync.WaitGroup
	for range 20 {
		deciders.Go(func() {
			for range 50 {
				hold := v.Hold(func(n int) bool { return n%2 == 0 }, 3)
				hold.Arrived()
				hold.Release()
			}
		})
		callers.Go(func() {
			for n := range 50 {
				v.Pass(t.Context(), n)
			}
		})
	}
	deciders.Wait()
	callers.Wait() // returns only if every decision let go whom it held
}
