package mockapi_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/oncespec/oncespec/mockapi"
	"github.com/oncespec/oncespec/mockapi/contract"
)

// lifeExchanges need time to pass, or more servers than one.
var lifeExchanges = map[string]exchange{
	"over its lifetime": {
		correct: "after 59m 201 replay; after 61m 201; tickets 2",
		do: func(b *bench) string {
			b.create("k1", "t")
			b.advance(59 * time.Minute)
			before := b.create("k1", "t")
			b.advance(2 * time.Minute)
			return fmt.Sprintf("after 59m %s; after 61m %s; tickets %d", brief(before), brief(b.create("k1", "t")), b.tickets("t"))
		},
	},
	"seconds before its end": {
		correct: "201 | 201 replay; tickets 1",
		do: func(b *bench) string {
			first := b.create("k1", "t")
			b.advance(time.Hour - 4*time.Second)
			return fmt.Sprintf("%s | %s; tickets %d", brief(first), brief(b.create("k1", "t")), b.tickets("t"))
		},
	},
	"unknown beyond its lifetime": {
		correct: "504 | 504; bookings 1",
		do: func(b *bench) string {
			b.downstream.set(func() { b.downstream.lose, b.downstream.mute = true, true })
			first := b.create("k1", "t")
			b.downstream.set(func() { b.downstream.lose = false })
			b.advance(1000 * time.Hour)
			return fmt.Sprintf("%s | %s; bookings %d", brief(first), brief(b.create("k1", "t")), b.downstream.booked("t"))
		},
	},
	"owner stopped after the booking": {
		correct: "second 201 replay, first 201 replay; tickets 1, bookings 1",
		do: func(b *bench) string {
			stopped := &stoppable{}
			owner := b.beside(func(o *mockapi.Options) { stopped.Store, o.Store = o.Store, stopped })
			b.downstream.set(func() { b.downstream.holdLate = make(chan struct{}) })
			first := owner.later("k1", "t")
			b.eventually("the booking is made", func() bool { return b.downstream.booked("t") == 1 })
			stopped.stop()
			late := b.downstream.holdLate
			b.downstream.set(func() { b.downstream.holdLate = nil })
			var second answer
			b.eventually("another server takes over", func() bool {
				second = b.create("k1", "t")
				return second.status == 201
			})
			stopped.goOn()
			close(late)
			return fmt.Sprintf("second %s, first %s; tickets %d, bookings %d", brief(second), brief(<-first), b.tickets("t"), b.downstream.booked("t"))
		},
	},
	"died right after its effect": {
		"201 replay; tickets 1",
		func(b *bench) string {
			dying := b.beside(func(o *mockapi.Options) { o.Store = &diesAfterEffect{Store: o.Store} })
			dying.create("k1", "t")
			dying.server.Close()
			var retry answer
			b.eventually("another server settles it", func() bool {
				retry = b.create("k1", "t")
				return retry.status == 201
			})
			return fmt.Sprintf("%s; tickets %d", brief(retry), b.tickets("t"))
		},
	},
	"many keys together": {
		"each has one ticket true",
		func(b *bench) string {
			each := true
			for round := 0; round < 20 && each; round++ { // a race is not won every time
				var all []<-chan answer
				for i := range 10 {
					title := fmt.Sprintf("t%d-%d", round, i)
					all = append(all, b.later(title, title))
				}
				for i, one := range all {
					<-one
					each = each && b.tickets(fmt.Sprintf("t%d-%d", round, i)) == 1
				}
			}
			return fmt.Sprint("each has one ticket ", each)
		},
	},
	"two seconds later": {
		"201 replay; tickets 1",
		func(b *bench) string {
			b.create("k1", "t")
			b.advance(2 * time.Second)
			return fmt.Sprintf("%s; tickets %d", brief(b.create("k1", "t")), b.tickets("t"))
		},
	},
	"duplicate at another replica": {
		correct: "duplicate 409, first 201, retry 201 replay; tickets 1",
		do: func(b *bench) string {
			other := b.beside(func(*mockapi.Options) {})
			b.downstream.set(func() { b.downstream.hold = make(chan struct{}) })
			first := b.later("k1", "t")
			b.downstream.await(b.t)
			duplicate := meets(other, "t")
			b.downstream.set(func() { release(&b.downstream.hold) })
			one, two := <-first, <-duplicate
			return fmt.Sprintf("duplicate %s, first %s, retry %s; tickets %d", brief(two), brief(one), brief(other.create("k1", "t")), b.tickets("t"))
		},
	},
	"replay beside the work": {
		"201 replay; tickets 1",
		func(b *bench) string {
			b.create("k1", "t")
			b.downstream.await(b.t)
			b.downstream.set(func() { b.downstream.hold = make(chan struct{}) })
			var others []<-chan answer
			for i := range 5 {
				others = append(others, b.later(fmt.Sprint("other", i), "u"))
				b.downstream.await(b.t)
			}
			retry := meets(b, "t")
			b.downstream.set(func() { release(&b.downstream.hold) })
			got := <-retry
			for _, other := range others {
				<-other
			}
			return fmt.Sprintf("%s; tickets %d", brief(got), b.tickets("t"))
		},
	},
	"replays together": {
		"each its own true",
		func(b *bench) string {
			own := true
			first := map[string]answer{"k1": b.create("k1", "k1"), "k2": b.create("k2", "k2")}
			for round := 0; round < 20 && own; round++ { // a race is not won every time
				one, two := b.later("k1", "k1"), b.later("k2", "k2")
				own = (<-one).body == first["k1"].body && (<-two).body == first["k2"].body
			}
			return fmt.Sprint("each its own ", own)
		},
	},
	"killed with six unfinished": {
		"succeeded succeeded succeeded succeeded succeeded succeeded",
		func(b *bench) string {
			b.downstream.set(func() { b.downstream.holdLate = make(chan struct{}) })
			var all []<-chan answer
			for i := range 6 {
				all = append(all, b.later(fmt.Sprint("k", i), "t"))
			}
			b.eventually("the bookings are made", func() bool { return b.downstream.booked("t") == len(all) })
			b.restart()
			var states []string
			for i, one := range all {
				<-one
				states = append(states, b.state(fmt.Sprint("k", i)))
			}
			return strings.Join(states, " ")
		},
	},
	"killed, then asked twice": {
		"201 | 201 replay; tickets 1",
		func(b *bench) string {
			b.downstream.set(func() { b.downstream.hold = make(chan struct{}) })
			first := b.later("k1", "t")
			b.downstream.await(b.t)
			b.restart()
			b.downstream.set(func() { release(&b.downstream.hold) })
			<-first
			retry, again := b.create("k1", "t"), b.create("k1", "t")
			return fmt.Sprintf("%s | %s; tickets %d", brief(retry), brief(again), b.tickets("t"))
		},
	},
	"database out of reach": {
		"bookings 0",
		func(b *bench) string {
			b.link.Cut()
			b.create("k1", "t")
			b.link.Mend()
			return fmt.Sprint("bookings ", b.downstream.booked("t"))
		},
	},
	"commit not confirmed": {
		"tickets 1",
		func(b *bench) string {
			b.downstream.set(func() { b.downstream.hold = make(chan struct{}) })
			first := b.later("k1", "t")
			b.downstream.await(b.t)
			b.link.LoseAnswer("commit")
			b.downstream.set(func() { release(&b.downstream.hold) })
			b.eventually("the commit is not confirmed", b.link.IsDown)
			b.link.Mend()
			<-first
			b.eventually("a retry gets a result", func() bool { return b.create("k1", "t").status == 201 })
			return fmt.Sprint("tickets ", b.tickets("t"))
		},
	},
	"asked to stop": {
		correct: "201 | 201 replay; tickets 1, bookings 1",
		do: func(b *bench) string {
			b.downstream.set(func() { b.downstream.holdLate = make(chan struct{}) })
			first := b.later("k1", "t")
			b.eventually("the booking is made", func() bool { return b.downstream.booked("t") == 1 })
			b.server.Stop()
			for i := 0; i < moment && b.state("k1") == "in_progress"; i++ { // until it drops its work, or plainly does not
			}
			b.downstream.set(func() { release(&b.downstream.holdLate) })
			one := <-first
			b.restart()
			return fmt.Sprintf("%s | %s; tickets %d, bookings %d", brief(one), brief(b.create("k1", "t")), b.tickets("t"), b.downstream.booked("t"))
		},
	},
}

// exchangeOptions are those of exchanges that need others.
var exchangeOptions = map[string]func(*testing.T, *mockapi.Options){
	"over its lifetime":               anHour,
	"two seconds later":               anHour,
	"seconds before its end":          anHour,
	"unknown beyond its lifetime":     anHour,
	"owner stopped after the booking": func(_ *testing.T, o *mockapi.Options) { o.Lease = shortLease },
}

// byLink are the exchanges that need a database at the end of a link.
var byLink = []string{"database out of reach", "commit not confirmed"}

func anHour(t *testing.T, o *mockapi.Options) { lasting(t, contract.ActionExecute)(o) }

// seenInLife says of further mutants where they give themselves away.
var seenInLife = map[string]differs{
	"replays-share-a-buffer":       {"replays together", "each its own false"},
	"fence-outlives-recovery":      {"killed, then asked twice", "tickets 2"},
	"recovers-two-only":            {"killed with six unfinished", "in_progress"},
	"unrecorded-when-stopping":     {"asked to stop", "tickets 2"},
	"refusal-wears-off":            {"refused for good", "403 | 201"},
	"store-down-executes":          {"database out of reach", "bookings 1"},
	"doubtful-commit-repeated":     {"commit not confirmed", "tickets 2"},
	"unique-index-missing":         {"duplicates together", "one ticket false"},
	"read-committed-upsert":        {"duplicates together", "one ticket false"},
	"advisory-lock-released-early": {"duplicates together", "one ticket false"},
	"effect-on-its-own-connection": {"many keys together", "ticket false"},
	"claims-of-one-process":        {"duplicate at another replica", "tickets 2"},
	"effect-apart-from-record":     {"died right after its effect", "tickets 2"},
	"record-right-after-effect":    {"died right after its effect", "tickets 2"},
	"window-of-seconds":            {"two seconds later", "tickets 2"},
	"lifetime-ends-seconds-early":  {"seconds before its end", "tickets 2"},
	"lifetime-too-short":           {"over its lifetime", "59m 201;"},
	"expired-key-replays-for-ever": {"over its lifetime", "61m 201 replay"},
	"expired-key-never-executes":   {"over its lifetime", "61m 422"},
	"expiry-drops-unresolved":      {"unknown beyond its lifetime", "bookings 2"},
	"no-fencing":                   {"owner stopped after the booking", "tickets 2"},
	"takeover-executes-blindly":    {"owner stopped after the booking", "bookings 2"},
	"outbox-after-the-call":        {"killed after the booking", "bookings 2"},
	"stop-drops-work":              {"asked to stop", "bookings 2"},
}
