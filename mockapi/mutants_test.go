package mockapi_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"

	"github.com/oncespec/oncespec/mockapi"
	"github.com/oncespec/oncespec/mockapi/mutants"
	"github.com/oncespec/oncespec/mockapi/store"
)

// exchange is something to do with an API, and a short account of what came of it.
type exchange struct {
	correct string // the account of the correct server
	do      func(b *bench) string
}

// differs is where a mutant gives itself away: a part of its account of an exchange that is not in the correct one.
type differs struct{ exchange, part string }

// TestEveryMutantDiffers: each mutant gives itself away in one exchange, and the correct server is correct in it.
func TestEveryMutantDiffers(t *testing.T) {
	t.Parallel()
	for name, e := range exchanges {
		t.Run("correct/"+name, func(t *testing.T) {
			t.Parallel()
			if got := e.do(mutantBench(t, "")); got != e.correct {
				t.Errorf("got  %s\nwant %s", got, e.correct)
			}
		})
	}
	for _, m := range mutants.List() {
		t.Run(m.Name, func(t *testing.T) {
			t.Parallel()
			want, known := seenIn[m.Name]
			if !known {
				t.Fatal("no exchange shows this mutant; add one to seenIn")
			}
			got := exchanges[want.exchange].do(mutantBench(t, m.Name))
			correct := exchanges[want.exchange].correct
			if !strings.Contains(got, want.part) || strings.Contains(correct, want.part) {
				t.Errorf("%s\ngot     %s\nwant    %s\ncorrect %s", want.exchange, got, want.part, correct)
			}
		})
	}
	if len(seenIn) != len(mutants.List()) {
		t.Errorf("%d exchanges for %d mutants", len(seenIn), len(mutants.List()))
	}
}

// mutantBench has a store that a restart finds again, so that what a mutant keeps elsewhere is lost in one.
func mutantBench(t *testing.T, name string) *bench {
	kept := &store.Memory{}
	return newBench(t, mockapi.Options{Mutant: name}, func() store.Store { return kept })
}

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
	"fingerprint": {
		"order replay; 2^53 no; nested no; query no; array no; null no; empty no; case no; type no; space no; chunked replay; trace replay",
		func(b *bench) string {
			return strings.Join([]string{
				"order " + same(b, `{"a":1,"b":2}`, `{"b":2, "a":1.0}`), "2^53 " + same(b, `9007199254740992`, `9007199254740993`),
				"nested " + same(b, `{"project":1,"deep":2}`, `{"project":1,"deep":3}`), "query " + sameQuery(b),
				"array " + same(b, `[1,2]`, `[2,1]`), "null " + same(b, `{"a":null}`, `{}`), "empty " + same(b, `{"a":0}`, `{}`),
				"case " + same(b, `"EUR"`, `"eur"`), "type " + same(b, `1`, `"1"`), "space " + same(b, `"a b"`, `"a  b"`), "chunked " + sameChunked(b),
				"trace " + same(b, `1`, `1`, "Traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"),
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
			b.restart()
			<-first
			b.downstream.set(func() { release(&b.downstream.hold) })
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
		"during 409; after 201 replay; tickets 1",
		func(b *bench) string {
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
			retry := meets(b, "t")
			b.downstream.set(func() { release(&b.downstream.hold) })
			during := <-retry
			var after answer
			for range 200 { // until the first is done, or plainly never will be
				if after = b.create("k1", "t"); after.status == 201 {
					break
				}
			}
			return fmt.Sprintf("during %s; after %s; tickets %d", brief(during), brief(after), b.tickets("t"))
		},
	},
	"half a request": {
		"tickets 0",
		func(b *bench) string {
			body := ticket("t")
			half := fmt.Sprintf("POST /v1/tickets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer acme-token\r\nContent-Type: application/json\r\n%s: \"k1\"\r\nContent-Length: %d\r\n\r\n%s",
				keyHeader, len(body), body[:len(body)-1])
			connection, err := net.Dial("tcp", b.http.Listener.Addr().String())
			if err != nil {
				b.t.Fatal(err)
			}
			if _, err := connection.Write([]byte(half)); err != nil {
				b.t.Fatal(err)
			}
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

// meets sends a ticket under k1 while that key's first request is held, and returns once it was answered, or is held as well
// because it executes.
func meets(b *bench, title string) <-chan answer {
	got := make(chan answer, 1)
	sent := b.later("k1", title)
	answered := make(chan struct{})
	go func() {
		got <- <-sent
		close(answered)
	}()
	select {
	case <-answered:
	case <-b.downstream.arrived:
	}
	return got
}

func brief(a answer) string {
	if a.replayed() {
		return fmt.Sprint(a.status, " replay")
	}
	return fmt.Sprint(a.status)
}

// same sends a ticket with two details under one key, and tells whether the second is taken for the first.
func same(b *bench, one, two string, header ...string) string {
	key := uuid.NewString()
	b.create(key, key, `"details":`+one)
	got := b.send("POST", "/v1/tickets", ticket(key, `"details":`+two), append([]string{keyHeader, `"` + key + `"`}, header...)...)
	return taken(got)
}

func sameQuery(b *bench) string {
	key := uuid.NewString()
	b.send("POST", "/v1/tickets?notify=owner", ticket(key), keyHeader, `"`+key+`"`)
	return taken(b.create(key, key))
}

// sameChunked sends the same ticket again without Content-Length.
func sameChunked(b *bench) string {
	key := uuid.NewString()
	b.create(key, key)
	request, err := http.NewRequestWithContext(b.t.Context(), "POST", b.http.URL+"/v1/tickets", struct{ *strings.Reader }{strings.NewReader(ticket(key))})
	if err != nil {
		b.t.Fatal(err)
	}
	request.Header = http.Header{"Authorization": {"Bearer acme-token"}, "Content-Type": {"application/json"}, keyHeader: {`"` + key + `"`}}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		b.t.Fatal(err)
	}
	defer response.Body.Close()
	return taken(answer{status: response.StatusCode, header: response.Header})
}

func taken(a answer) string {
	switch {
	case a.replayed():
		return "replay"
	case a.status == http.StatusUnprocessableEntity:
		return "no"
	}
	return fmt.Sprint(a.status)
}

var seenIn = map[string]differs{
	"no-idempotency":                {"two retries", "tickets 3"},
	"dedupe-by-payload":             {"equal payloads", "tickets 1"},
	"key-not-required":              {"keys", "none 201"},
	"key-truncated":                 {"keys", "long 201 longer 201 replay"},
	"key-folds-case":                {"keys", "lower 201 upper 201 replay"},
	"key-sent-twice-executes-twice": {"keys", "twice 201"},
	"key-malformed-500":             {"keys", "bare 500"},
	"key-quotes-count":              {"keys", "bare 201"},
	"key-needs-hyphen":              {"keys", "letters 400"},
	"key-on-get-refused":            {"keys", "on GET 400"},
	"scope-global":                  {"strangers with the key", "globex 201 replay"},
	"scope-without-route":           {"strangers with the key", "other route 201 replay"},
	"label-counts-repeats":          {"label", "changes 2"},
	"check-then-insert":             {"duplicates together", "one ticket false"},
	"claim-after-effect":            {"duplicate in flight", "duplicate 201"},
	"per-worker-lock":               {"duplicate in flight", "tickets 2 0"},
	"loser-gets-500":                {"duplicates together", "5xx true"},
	"in-flight-executes":            {"duplicate in flight", "duplicate 201"},
	"in-flight-says-success":        {"duplicate in flight", "duplicate 202"},
	"no-retry-after":                {"duplicate in flight", "come back false"},
	"in-flight-for-ever":            {"duplicate in flight", "retry 409"},
	"requests-collapse":             {"strangers together", "each has its ticket false"},
	"replay-answers-200":            {"two retries", "200 replay"},
	"replay-without-location":       {"two retries", "Location false"},
	"replay-with-new-id":            {"two retries", "same body false false"},
	"replay-second-differs":         {"two retries", "same body true false"},
	"replay-gives-current-state":    {"resource changed", "state closed"},
	"replay-unmarked":               {"two retries", "201 | 201 | 201"},
	"first-marked-as-replay":        {"two retries", "201 replay | 201 replay | 201 replay"},
	"replay-for-anybody":            {"strangers with the key", "nobody 201 replay"},
	"replay-books-again":            {"two retries", "bookings 3"},
	"replay-calls-downstream":       {"two retries", "calls 3"},
	"replay-moves-balance":          {"payment", "balance 96002"},
	"large-answer-not-stored":       {"close and export", "exports 2"},
	"large-answer-cut":              {"close and export", "whole false"},
	"no-content-not-stored":         {"close and export", "409"},
	"mismatch-replays":              {"changed payload", "201 replay | 201 replay"},
	"mismatch-executes":             {"changed payload", "tickets 1 3"},
	"mismatch-executes-in-flight":   {"duplicate in flight", "changed 201"},
	"mismatch-overwrites":           {"changed payload", "original 422"},
	"mismatch-second-time-replays":  {"changed payload", "422 | 201 replay"},
	"mismatch-gets-500":             {"changed payload", "500"},
	"conflict-discloses":            {"changed payload", "tells true"},
	"conflict-unexplained":          {"changed payload", "explained false"},
	"failed-first-resumed":          {"transient failure", "changed 201"},
	"fingerprint-raw-bytes":         {"fingerprint", "order no"},
	"fingerprint-float64":           {"fingerprint", "2^53 replay"},
	"fingerprint-top-level":         {"fingerprint", "nested replay"},
	"fingerprint-without-query":     {"fingerprint", "query replay"},
	"fingerprint-sorts-arrays":      {"fingerprint", "array replay"},
	"fingerprint-null-is-absent":    {"fingerprint", "null replay"},
	"fingerprint-drops-empty":       {"fingerprint", "empty replay"},
	"fingerprint-folds-case":        {"fingerprint", "case replay"},
	"fingerprint-forgets-types":     {"fingerprint", "type replay"},
	"fingerprint-trims-text":        {"fingerprint", "space replay"},
	"fingerprint-needs-length":      {"fingerprint", "chunked no"},
	"fingerprint-counts-trace":      {"fingerprint", "trace no"},
	"renewed-token-is-another":      {"strangers with the key", "renewed token 201,"},
	"hang-up-releases-claim":        {"client gone", "during 201"},
	"hang-up-stops-work":            {"client gone", "after 409"},
	"half-request-executes":         {"half a request", "tickets 1"},
	"5xx-stored":                    {"transient failure", "503 replay"},
	"5xx-leaks-claim":               {"transient failure", "409"},
	"panic-leaks-claim":             {"broken handler", "500 409"},
	"failure-taken-for-success":     {"transient failure", "bookings 0"},
	"unknown-executes-again":        {"unknown outcome", "bookings 2"},
	"unknown-told-as-failed":        {"unknown outcome", "409, failed"},
	"downstream-key-per-attempt":    {"transient failure", "one key false"},
	"downstream-key-by-payload":     {"equal payloads", "bookings 1"},
	"records-in-memory":             {"restart", "tickets 2"},
	"restart-executes-blindly":      {"killed after the booking", "bookings 2"},
	"never-recovered":               {"killed after the booking", "409"},
	"recovery-assumes-done":         {"killed before the booking", "201 replay"},
	"effect-before-record":          {"killed after the booking", "tickets 2"},
	"status-for-anybody":            {"strangers with the key", "status 200"},
	"status-unknown-reads-failed":   {"unknown outcome", "failed"},
	"status-only-when-done":         {"duplicate in flight", "Not Found"},
	"status-never-final":            {"status", "in_progress in_progress"},
	"status-without-result":         {"status", "result false"},
	"status-changes-back":           {"status", "succeeded in_progress"},
	"status-not-by-key":             {"status", "Not Found Not Found"},
}
