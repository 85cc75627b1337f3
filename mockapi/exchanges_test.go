package mockapi_test

import (
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"
)

var exchanges = map[string]exchange{
	"two retries": {
		"201 | 201 replay | 201 replay; same body true true; Location true; tickets 1, bookings 1, calls 1",
		func(b *bench) string {
			first, one, two := b.create("k1", "t"), b.create("k1", "t"), b.create("k1", "t")
			return fmt.Sprintf("%s | %s | %s; same body %v %v; Location %v; tickets %d, bookings %d, calls %d", brief(first), brief(one), brief(two),
				one.body == first.body, two.body == first.body, one.header.Get("Location") != "", b.tickets("t"), b.downstream.booked("t"), len(b.downstream.keys()))
		},
	},
	"changed payload": {
		"422 | 422 | original 201 replay; tells false; explained true; tickets 1 1",
		func(b *bench) string {
			first := b.create("k1", "t")
			b.create("k9", "u")
			one, two := b.create("k1", "u"), b.create("k1", "u")
			return fmt.Sprintf("%s | %s | original %s; tells %v; explained %v; tickets %d %d", brief(one), brief(two), brief(b.create("k1", "t")),
				strings.Contains(one.body, first.field("id")), one.code() != "", b.tickets("t"), b.tickets("u"))
		},
	},
	"duplicates together": {
		"5xx false; one ticket true", // who waits and who replays is open
		func(b *bench) string {
			wrong, once := false, true
			for round := 0; round < 20 && once && !wrong; round++ { // a race is not won every time
				var all sync.WaitGroup
				answers := make(chan answer, 8)
				title := fmt.Sprint("t", round)
				for range cap(answers) {
					all.Go(func() { answers <- <-b.later(title, title) })
				}
				all.Wait()
				close(answers)
				for got := range answers {
					wrong = wrong || got.status >= 500
				}
				once = b.tickets(title) == 1
			}
			return fmt.Sprintf("5xx %v; one ticket %v", wrong, once)
		},
	},
	"duplicate in flight": {
		"in_progress; duplicate 409, come back true; changed 422; first 201; retry 201 replay; tickets 1 0",
		func(b *bench) string {
			b.downstream.set(func() { b.downstream.hold = make(chan struct{}) })
			first := b.later("k1", "t")
			b.downstream.await(b.t)
			state := b.state("k1")
			duplicate := meets(b, "t")
			rival := meets(b, "u")
			b.downstream.set(func() { release(&b.downstream.hold) })
			one, two, three := <-first, <-duplicate, <-rival
			return fmt.Sprintf("%s; duplicate %s, come back %v; changed %s; first %s; retry %s; tickets %d %d", state, brief(two), two.header.Get("Retry-After") != "",
				brief(three), brief(one), brief(b.create("k1", "t")), b.tickets("t"), b.tickets("u"))
		},
	},
	"rivals together": {
		"both false", // which of two payloads wins is open
		func(b *bench) string {
			both := false
			for round := 0; round < 20 && !both; round++ { // a race is not won every time
				key := fmt.Sprint("r", round)
				one, two := b.later(key, key+"t"), b.later(key, key+"u")
				both = (<-one).status == 201 && (<-two).status == 201
			}
			return fmt.Sprint("both ", both)
		},
	},
	"strangers together": {
		"each has its ticket true",
		func(b *bench) string {
			b.downstream.set(func() { b.downstream.hold = make(chan struct{}) })
			var all []<-chan answer
			for i := range 10 {
				all = append(all, b.later(fmt.Sprint("k", i), "t"))
			}
			b.downstream.await(b.t)
			b.eventually("the others are claimed", func() bool { return b.state("k9") == "in_progress" })
			b.downstream.set(func() { release(&b.downstream.hold) })
			for _, one := range all {
				<-one
			}
			return fmt.Sprint("each has its ticket ", b.tickets("t") == 10)
		},
	},
	"keys": {
		"none 400; bare 400; unbalanced 400; letters 201; twice 400; on GET 200; lower 201 upper 201; long 201 longer 201; tickets 5",
		func(b *bench) string {
			send := func(keys ...string) string {
				var header []string
				for _, key := range keys {
					header = append(header, keyHeader, key)
				}
				return brief(b.send("POST", "/v1/tickets", ticket("t"), header...))
			}
			long := strings.Repeat("k-", 31)
			return fmt.Sprintf("none %s; bare %s; unbalanced %s; letters %s; twice %s; on GET %s; lower %s upper %s; long %s longer %s; tickets %d", send(), send("a-b"), send(`"a-b`),
				send(`"abcdef"`), send(`"a-1"`, `"a-2"`), brief(b.send("GET", "/v1/tickets", "", keyHeader, `"a-3"`)), send(`"a-case"`), send(`"A-CASE"`), send(`"`+long+`a"`), send(`"`+long+`b"`), b.tickets("t"))
		},
	},
	"long keys": {
		"100 201, 200 201",
		func(b *bench) string {
			send := func(length int) string { return brief(b.create(strings.Repeat("k", length), "t")) }
			return fmt.Sprintf("100 %s, 200 %s", send(100), send(200))
		},
	},
	"equal payloads": {
		"201 201; tickets 2, bookings 2",
		func(b *bench) string {
			return fmt.Sprintf("%s %s; tickets %d, bookings %d", brief(b.create("k1", "t")), brief(b.create("k2", "t")), b.tickets("t"), b.downstream.booked("t"))
		},
	},
	"strangers with the key": {
		"globex 201, nobody 401, renewed token 201 replay, other route 422; status 404",
		func(b *bench) string {
			first := b.create("k1", "t")
			send := func(token string) string {
				return brief(b.send("POST", "/v1/tickets", ticket("t"), keyHeader, `"k1"`, "Authorization", token))
			}
			closing := b.create("k2", "t2")
			b.send("POST", "/v1/tickets/"+first.field("id")+"/close", "", keyHeader, `"k1"`)
			return fmt.Sprintf("globex %s, nobody %s, renewed token %s, other route %s; status %s", send("Bearer globex-token"), send("Bearer none"), send("Bearer acme-token-2"),
				brief(b.send("POST", "/v1/tickets/"+closing.field("id")+"/close", "", keyHeader, `"k1"`)),
				brief(b.send("GET", "/v1/operations/k2", "", "Authorization", "Bearer globex-token")))
		},
	},
	"strangers with the key together": {
		"each has its ticket true",
		func(b *bench) string {
			b.downstream.set(func() { b.downstream.hold = make(chan struct{}) })
			first := b.later("k1", "t")
			b.downstream.await(b.t)
			globex := []string{"Authorization", "Bearer globex-token"}
			other := make(chan answer, 1)
			go func() {
				defer close(other)
				if got, err := b.try(b.t.Context(), "POST", "/v1/tickets", ticket("t"), append(globex, keyHeader, `"k1"`)...); err == nil {
					other <- got
				}
			}()
			b.eventually("the other tenant's is claimed", func() bool { return b.send("GET", "/v1/operations/k1", "", globex...).status == 200 })
			b.downstream.set(func() { release(&b.downstream.hold) })
			one, two := <-first, <-other
			return fmt.Sprint("each has its ticket ", one.status == 201 && two.status == 201 && one.field("id") != two.field("id"))
		},
	},
	"fingerprint": {
		"order replay; 2^53 no; nested no; query no; array no; null no; empty no; case no; type no; space no; chunked replay; trace replay; unknown no; ratio no",
		func(b *bench) string {
			return strings.Join([]string{
				"order " + same(b, `{"a":1,"b":2}`, `{"b":2, "a":1.0}`), "2^53 " + same(b, `9007199254740992`, `9007199254740993`),
				"nested " + same(b, `{"project":1,"deep":2}`, `{"project":1,"deep":3}`), "query " + sameQuery(b),
				"array " + same(b, `[1,2]`, `[2,1]`), "null " + same(b, `{"a":null}`, `{}`), "empty " + same(b, `{"a":0}`, `{}`),
				"case " + same(b, `"EUR"`, `"eur"`), "type " + same(b, `1`, `"1"`), "space " + same(b, `"a b"`, `"a  b"`), "chunked " + sameChunked(b),
				"trace " + same(b, `1`, `1`, "Traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"),
				"unknown " + same(b, `{"note":"n","other":1}`, `{"note":"n","other":2}`), "ratio " + same(b, `{"ratio":1}`, `{"ratio":2}`),
			}, "; ")
		},
	},
	"resource changed": {
		"201 replay, state open",
		func(b *bench) string {
			first := b.create("k1", "t")
			b.send("POST", "/v1/tickets/"+first.field("id")+"/close", "", keyHeader, `"k2"`)
			again := b.create("k1", "t")
			return brief(again) + ", state " + again.field("state")
		},
	},
	"payment": {
		"201 | 201 replay; balance 98001",
		func(b *bench) string {
			account := b.send("POST", "/v1/accounts", `{}`).field("id")
			pay := func() string {
				return brief(b.send("POST", "/v1/payments", `{"account":"`+account+`","amount":1999,"currency":"EUR","order":"o"}`, keyHeader, `"k1"`))
			}
			first, again := pay(), pay()
			_, balance, _ := strings.Cut(b.send("GET", "/v1/accounts/"+account, "").body, `"balance":`)
			return fmt.Sprintf("%s | %s; balance %s", first, again, strings.TrimSuffix(balance, "}"))
		},
	},
	"close and export": {
		"204 | 204 replay; 201 | 201 replay, whole true; closures 1, exports 1",
		func(b *bench) string {
			path := "/v1/tickets/" + b.create("k1", "t").field("id")
			send := func(what string) answer { return b.send("POST", path+what, "", keyHeader, `"k2"`) }
			one, two, export, again := send("/close"), send("/close"), send("/export"), send("/export")
			_, counts, _ := strings.Cut(b.send("GET", path, "").body, `"closures":`)
			closures, exports, _ := strings.Cut(strings.TrimSuffix(counts, "}"), `,"exports":`)
			return fmt.Sprintf("%s | %s; %s | %s, whole %v; closures %s, exports %s", brief(one), brief(two), brief(export), brief(again), len(again.body) == len(export.body), closures, exports)
		},
	},
	"label": {
		"changes 1",
		func(b *bench) string {
			for range 2 {
				b.send("PUT", "/v1/labels/l1", `{"color":"green"}`)
			}
			_, changes, _ := strings.Cut(b.send("GET", "/v1/labels/l1", "").body, `"changes":`)
			return "changes " + strings.TrimSuffix(changes, "}")
		},
	},
	"transient failure": {
		"503 | changed 422 | 201; tickets 1 0, bookings 1, one key true",
		func(b *bench) string {
			b.downstream.set(func() { b.downstream.refuse = true })
			first := b.create("k1", "t")
			b.downstream.set(func() { b.downstream.refuse = false })
			changed := b.create("k1", "u")
			again := b.create("k1", "t")
			keys := slices.Compact(b.downstream.keys())
			return fmt.Sprintf("%s | changed %s | %s; tickets %d %d, bookings %d, one key %v", brief(first), brief(changed), brief(again), b.tickets("t"), b.tickets("u"), b.downstream.booked("t"), len(keys) == 1)
		},
	},
	"broken handler": {
		"500 500",
		func(b *bench) string {
			send := func() string {
				return brief(b.send("POST", "/v1/tickets", `{"project":"explode","title":"t"}`, keyHeader, `"k1"`))
			}
			return send() + " " + send()
		},
	},
	"unknown outcome": {
		"504, unknown | 201 replay; tickets 1, bookings 1",
		func(b *bench) string {
			b.downstream.set(func() { b.downstream.lose, b.downstream.mute = true, true })
			first, state := b.create("k1", "t"), b.state("k1")
			b.downstream.set(func() { b.downstream.lose, b.downstream.mute = false, false })
			return fmt.Sprintf("%s, %s | %s; tickets %d, bookings %d", brief(first), state, brief(b.create("k1", "t")), b.tickets("t"), b.downstream.booked("t"))
		},
	},
	"killed after the booking": {
		"201 replay; tickets 1, bookings 1",
		func(b *bench) string {
			b.downstream.set(func() { b.downstream.holdLate = make(chan struct{}) })
			first := b.later("k1", "t")
			b.eventually("the booking is made", func() bool { return b.downstream.booked("t") == 1 })
			b.restart()
			<-first
			b.downstream.set(func() { release(&b.downstream.holdLate) })
			return fmt.Sprintf("%s; tickets %d, bookings %d", brief(b.create("k1", "t")), b.tickets("t"), b.downstream.booked("t"))
		},
	},
	"killed before the booking": {
		"201; tickets 1, bookings 1",
		func(b *bench) string {
			b.downstream.set(func() { b.downstream.hold = make(chan struct{}) })
			first := b.later("k1", "t")
			b.downstream.await(b.t)
			b.downstream.set(func() { b.downstream.hold = nil }) // the held call ends with its caller, later ones are booked
			b.restart()
			<-first
			return fmt.Sprintf("%s; tickets %d, bookings %d", brief(b.create("k1", "t")), b.tickets("t"), b.downstream.booked("t"))
		},
	},
	"restart": {
		"201 | 201 replay; tickets 1",
		func(b *bench) string {
			first := b.create("k1", "t")
			b.restart()
			return fmt.Sprintf("%s | %s; tickets %d", brief(first), brief(b.create("k1", "t")), b.tickets("t"))
		},
	},
	"client gone": {
		"during 409; after 201 replay; tickets 1, bookings 1",
		func(b *bench) string {
			b.heldAndLeft()
			<-b.hungUp
			retry := meets(b, "t")
			for i := 0; i < moment && len(retry) == 1; i++ { // until it executes, or plainly does not: whoever else watches the connection is told at about the same time
				retry = meets(b, "t")
			}
			b.downstream.set(func() { release(&b.downstream.hold) })
			during := <-retry
			var after answer
			for range 200 { // until the first is done, or plainly never will be
				if after = b.create("k1", "t"); after.status == 201 {
					break
				}
			}
			tickets := b.tickets("t")
			b.http.Close() // waits for what still runs, though its client is gone
			return fmt.Sprintf("during %s; after %s; tickets %d, bookings %d", brief(during), brief(after), tickets, b.downstream.booked("t"))
		},
	},
	"refused for good": {
		"403 | 403 replay | another 422",
		func(b *bench) string {
			send := func() string {
				return brief(b.send("POST", "/v1/tickets", `{"project":"closed","title":"t"}`, keyHeader, `"k1"`))
			}
			return fmt.Sprintf("%s | %s | another %s", send(), send(), brief(b.create("k1", "t")))
		},
	},
	"invalid payload": {
		"invalid 422; corrected 201",
		func(b *bench) string {
			invalid := b.send("POST", "/v1/tickets", `{"project":"","title":"t"}`, keyHeader, `"k1"`)
			return fmt.Sprintf("invalid %s; corrected %s", brief(invalid), brief(b.create("k1", "t")))
		},
	},
	"request in pieces": {
		"201 replay",
		func(b *bench) string {
			first, rest := open(b, "k1", "t", 10)
			<-b.pieces
			_, _ = first.Write(rest)
			_, _ = first.Read(make([]byte, 1)) // it is answered
			_ = first.Close()
			return brief(b.create("k1", "t"))
		},
	},
	"answer not read": {
		"201 replay; tickets 1",
		func(b *bench) string {
			first, _ := open(b, "k1", "t", 0)
			defer first.Close()
			_, _ = first.Read(make([]byte, 1)) // it begins to answer
			return fmt.Sprintf("%s; tickets %d", brief(b.create("k1", "t")), b.tickets("t"))
		},
	},
	"killed with its answer not read": {
		"201 replay; tickets 1",
		func(b *bench) string {
			first, _ := open(b, "k1", "t", 0)
			defer first.Close()
			_, _ = first.Read(make([]byte, 1)) // it begins to answer
			b.restart()
			return fmt.Sprintf("%s; tickets %d", brief(b.create("k1", "t")), b.tickets("t"))
		},
	},
	"half a request": {
		"tickets 0",
		func(b *bench) string {
			connection, _ := open(b, "k1", "t", 1)
			_ = connection.(*net.TCPConn).CloseWrite()
			_, _ = connection.Read(make([]byte, 1)) // the answer means that it is done
			_ = connection.Close()
			return fmt.Sprint("tickets ", b.tickets("t"))
		},
	},
	"status": {
		"succeeded succeeded, result true",
		func(b *bench) string {
			first := b.create("k1", "t")
			one, two := b.state("k1"), b.state("k1")
			return fmt.Sprintf("%s %s, result %v", one, two, strings.Contains(b.send("GET", "/v1/operations/k1", "").body, first.header.Get("Location")))
		},
	},
}

// open sends a new ticket on a connection of its own, the last bytes after a pause; a negative pause leaves them out.
