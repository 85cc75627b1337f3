package mockapi_test

import (
	"context"
	"strings"
	"sync"
	"testing"
)

func TestSecondRequestIsReplayed(t *testing.T) {
	t.Parallel()
	onEveryStore(t, func(b *bench) {
		first := b.create("k1", "t")
		b.expect("first", first, 201, "")
		if first.replayed() || first.header.Get("Location") != "/v1/tickets/"+first.field("id") {
			b.t.Errorf("first answer: %v", first.header)
		}
		for range 3 {
			again := b.create("k1", "t")
			b.expect("retry", again, 201, "")
			if !again.replayed() || again.body != first.body || again.header.Get("Location") != first.header.Get("Location") ||
				again.header.Get("Content-Type") != first.header.Get("Content-Type") {
				b.t.Errorf("retry differs: %v %s, first %v %s", again.header, again.body, first.header, first.body)
			}
		}
		b.expectOnce("t")
		if calls := b.downstream.keys(); len(calls) != 1 {
			b.t.Errorf("%d calls downstream, want 1", len(calls))
		}
		if got := b.state("k1"); got != "succeeded" {
			b.t.Errorf("state %s, want succeeded", got)
		}
		b.create("k2", "t")
		if n := b.tickets("t"); n != 2 {
			b.t.Errorf("another key with an equal payload: %d tickets, want 2", n)
		}
	})
}

func TestChangedPayloadIsRefused(t *testing.T) {
	t.Parallel()
	onEveryStore(t, func(b *bench) {
		first := b.create("k1", "t", `"details":{"n":9007199254740992}`)
		for _, changed := range []answer{
			b.create("k1", "t", `"details":{"n":9007199254740993}`),
			b.create("k1", "other", `"details":{"n":9007199254740992}`),
			b.send("POST", "/v1/tickets?notify=owner", ticket("t", `"details":{"n":9007199254740992}`), keyHeader, `"k1"`),
		} {
			b.expect("changed", changed, 422, "idempotency_key_reused")
			if strings.Contains(changed.body, first.field("id")) || strings.Contains(changed.body, `900719`) {
				b.t.Errorf("the conflict tells of the first request: %s", changed.body)
			}
		}
		for _, same := range []string{
			`{"title":"t", "details":{"n":9007199254740992.0},"project":"ops"}`,
			`{"project":"ops","title":"\u0074","priority":"normal","labels":[],"details":{"n":9007199254740992}}`,
		} {
			got := b.send("POST", "/v1/tickets", same, keyHeader, `"k1"`, "Traceparent", "00-1-2-00", "Authorization", "Bearer acme-token-2")
			b.expect("same meaning", got, 201, "")
			if got.body != first.body || !got.replayed() {
				b.t.Errorf("same meaning got another answer: %s", got.body)
			}
		}
		b.expectOnce("t")
	})
}

func TestDuplicateInFlightIsToldToComeBack(t *testing.T) {
	t.Parallel()
	onEveryStore(t, func(b *bench) {
		b.downstream.set(func() { b.downstream.hold = make(chan struct{}) })
		first := b.later("k1", "t")
		b.downstream.await(b.t)
		duplicate := b.create("k1", "t")
		b.expect("duplicate", duplicate, 409, "idempotency_in_flight")
		if duplicate.header.Get("Retry-After") == "" {
			b.t.Error("the duplicate is not told when to come back")
		}
		if got := b.state("k1"); got != "in_progress" {
			b.t.Errorf("state %s, want in_progress", got)
		}
		b.expect("changed payload in flight", b.create("k1", "other"), 422, "idempotency_key_reused")
		b.downstream.set(func() { release(&b.downstream.hold) })
		b.expect("first", <-first, 201, "")
		if retry := b.create("k1", "t"); !retry.replayed() {
			b.t.Errorf("retry: %d %s", retry.status, retry.body)
		}
		b.expectOnce("t")
	})
}

func TestFiftyDuplicatesTogether(t *testing.T) {
	t.Parallel()
	onEveryStore(t, func(b *bench) {
		fiftyTogether(b)
		b.expectOnce("t")
	})
}

// fiftyTogether sends duplicates of k1 at once, spread over the servers: one of them is the first.
func fiftyTogether(at ...*bench) {
	t := at[0].t
	t.Helper()
	const duplicates = 50
	var all sync.WaitGroup
	answers := make(chan answer, duplicates)
	for i := range duplicates {
		all.Go(func() {
			if got, err := at[i%len(at)].try(context.Background(), "POST", "/v1/tickets", ticket("t"), keyHeader, `"k1"`); err != nil {
				t.Error(err)
			} else {
				answers <- got
			}
		})
	}
	all.Wait()
	close(answers)
	firsts := 0
	for got := range answers {
		if got.status != 201 && got.code() != "idempotency_in_flight" {
			t.Errorf("answer %d %s", got.status, got.body)
		}
		if got.status == 201 && !got.replayed() {
			firsts++
		}
	}
	if firsts != 1 {
		t.Errorf("%d first answers, want 1", firsts)
	}
}

// heldAndLeft sends a ticket under k1 whose booking is held, and hangs up meanwhile.
func (b *bench) heldAndLeft() {
	b.t.Helper()
	b.downstream.set(func() { b.downstream.hold = make(chan struct{}) })
	ctx, hangUp := context.WithCancel(context.Background())
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		_, _ = b.try(ctx, "POST", "/v1/tickets", ticket("t"), keyHeader, `"k1"`)
	}()
	b.downstream.await(b.t)
	hangUp()
	<-gone
}

func TestClientThatHangsUpDoesNotStopTheWork(t *testing.T) {
	t.Parallel()
	onEveryStore(t, func(b *bench) {
		b.heldAndLeft()
		b.expect("retry during the work", b.create("k1", "t"), 409, "idempotency_in_flight")
		b.downstream.set(func() { release(&b.downstream.hold) })
		b.eventually("the retry replays", func() bool { return b.create("k1", "t").replayed() })
		b.expectOnce("t")
	})
}

func TestTransientFailureLeavesTheKeyUsable(t *testing.T) {
	t.Parallel()
	onEveryStore(t, func(b *bench) {
		b.downstream.set(func() { b.downstream.refuse = true })
		b.expect("first", b.create("k1", "t"), 503, "provider_unavailable")
		if got := b.state("k1"); got != "Not Found" {
			b.t.Errorf("state of a released key: %s, want none", got)
		}
		b.expect("changed payload", b.create("k1", "other"), 422, "idempotency_key_reused")
		b.downstream.set(func() { b.downstream.refuse = false })
		retry := b.create("k1", "t")
		b.expect("retry", retry, 201, "")
		if retry.replayed() {
			b.t.Error("the retry that did the work says that it is a replay")
		}
		b.expectOnce("t")
		if keys := b.downstream.keys(); len(keys) != 2 || keys[0] != keys[1] {
			b.t.Errorf("downstream keys %v, want one key twice", keys)
		}
	})
}

func TestUnknownOutcomeIsFoundOutByTheRetry(t *testing.T) {
	t.Parallel()
	onEveryStore(t, func(b *bench) {
		b.downstream.set(func() { b.downstream.lose, b.downstream.mute = true, true })
		b.expect("first", b.create("k1", "t"), 504, "outcome_unknown")
		b.expect("retry while nobody knows", b.create("k1", "t"), 504, "outcome_unknown")
		if got := b.state("k1"); got != "unknown" {
			b.t.Errorf("state %s, want unknown", got)
		}
		if n := b.tickets("t"); n != 0 {
			b.t.Errorf("%d tickets before the outcome is known, want 0", n)
		}
		b.downstream.set(func() { b.downstream.lose, b.downstream.mute = false, false })
		b.expect("retry once it can be known", b.create("k1", "t"), 201, "")
		b.expectOnce("t")
		if calls := b.downstream.keys(); len(calls) != 1 {
			b.t.Errorf("%d booking calls, want 1: the retry is to ask, not to book", len(calls))
		}
	})
}

func TestUnknownOutcomeIsFoundOutInTheBackground(t *testing.T) {
	t.Parallel()
	onEveryStore(t, func(b *bench) {
		b.downstream.set(func() { b.downstream.lose, b.downstream.mute = true, true })
		b.expect("first", b.create("k1", "t"), 504, "outcome_unknown")
		b.downstream.set(func() { b.downstream.lose, b.downstream.mute = false, false })
		b.eventually("the operation reads as succeeded", func() bool { return b.state("k1") == "succeeded" })
		b.expectOnce("t")
	})
}

func TestLostAnswerIsFoundOutAtOnce(t *testing.T) {
	t.Parallel()
	onEveryStore(t, func(b *bench) {
		b.downstream.set(func() { b.downstream.lose = true })
		b.expect("first", b.create("k1", "t"), 201, "")
		b.expectOnce("t")
	})
}
