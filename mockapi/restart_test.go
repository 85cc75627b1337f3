package mockapi_test

import (
	"strings"
	"testing"
)

func TestKilledBeforeTheBooking(t *testing.T) {
	t.Parallel()
	onEveryStore(t, func(b *bench) {
		b.downstream.set(func() { b.downstream.hold = make(chan struct{}) })
		first := b.later("k1", "t")
		before := b.downstream.await(b.t)
		b.restart()
		<-first
		if got := b.state("k1"); got != "Not Found" {
			b.t.Errorf("state after the restart: %s, want none: nothing was done", got)
		}
		b.downstream.set(func() { release(&b.downstream.hold) })
		b.expect("retry", b.create("k1", "t"), 201, "")
		if after := b.downstream.await(b.t); after != before {
			b.t.Errorf("downstream key %s after the restart, %s before", after, before)
		}
		b.expectOnce("t")
	})
}

func TestKilledAfterTheBooking(t *testing.T) {
	t.Parallel()
	onEveryStore(t, func(b *bench) {
		b.downstream.set(func() { b.downstream.holdLate = make(chan struct{}) })
		first := b.later("k1", "t")
		b.downstream.await(b.t)
		b.eventually("the booking is made", func() bool { return b.downstream.booked("t") == 1 })
		b.restart()
		<-first
		if got := b.state("k1"); got != "succeeded" {
			b.t.Errorf("state after the restart: %s, want succeeded: it was booked", got)
		}
		b.expectOnce("t")
		retry := b.create("k1", "t")
		b.expect("retry", retry, 201, "")
		if !retry.replayed() {
			b.t.Error("the retry does not say that it is a replay")
		}
		if calls := b.downstream.keys(); len(calls) != 1 {
			b.t.Errorf("%d booking calls, want 1", len(calls))
		}
	})
}

func TestKilledWhileNobodyCanTell(t *testing.T) {
	t.Parallel()
	onEveryStore(t, func(b *bench) {
		b.downstream.set(func() { b.downstream.holdLate, b.downstream.mute = make(chan struct{}), true })
		first := b.later("k1", "t")
		b.downstream.await(b.t)
		b.eventually("the booking is made", func() bool { return b.downstream.booked("t") == 1 })
		b.restart()
		<-first
		if got := b.state("k1"); got != "unknown" {
			b.t.Errorf("state after the restart: %s, want unknown", got)
		}
		b.expect("retry", b.create("k1", "t"), 504, "outcome_unknown")
		b.downstream.set(func() { b.downstream.mute = false })
		b.eventually("the operation reads as succeeded", func() bool { return b.state("k1") == "succeeded" })
		b.expect("retry", b.create("k1", "t"), 201, "")
		b.expectOnce("t")
	})
}

func TestResultsSurviveARestart(t *testing.T) {
	t.Parallel()
	onEveryStore(t, func(b *bench) {
		first := b.create("k1", "t")
		refused := b.create("k2", "no", `"priority":"low"`)
		b.restart()
		for key, want := range map[string]answer{"k1": first, "k2": refused} {
			members := map[string][]string{"k2": {`"priority":"low"`}}[key]
			title := map[string]string{"k1": "t", "k2": "no"}[key]
			got := b.create(key, title, members...)
			if got.status != want.status || got.body != want.body || !got.replayed() {
				b.t.Errorf("%s after the restart: %d %s, want %d %s", key, got.status, got.body, want.status, want.body)
			}
		}
		b.expectOnce("t")
	})
}

// An operation without a booking leaves no trace until it is completed, so its key is usable again.
func TestKilledBeforeALocalEffect(t *testing.T) {
	t.Parallel()
	onEveryStore(t, func(b *bench) {
		created := b.create("k1", "t")
		path := "/v1/tickets/" + created.field("id") + "/close"
		b.claimAndDie("POST", path, "k2")
		b.expect("retry", b.send("POST", path, "", keyHeader, `"k2"`), 204, "")
		b.expect("second retry", b.send("POST", path, "", keyHeader, `"k2"`), 204, "")
		if got := b.send("GET", "/v1/tickets/"+created.field("id"), ""); !strings.Contains(got.body, `"closures":1`) {
			b.t.Errorf("closed more or less than once: %s", got.body)
		}
	})
}
