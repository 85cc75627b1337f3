package mockapi_test

import (
	"bytes"
	"compress/gzip"
	"strings"
	"testing"

	"github.com/oncespec/oncespec/mockapi"
	"github.com/oncespec/oncespec/mockapi/contract"
	"github.com/oncespec/oncespec/mockapi/store"
)

// inMemory is a bench for what does not depend on the store.
func inMemory(t *testing.T, change ...func(*contract.Contract)) *bench {
	t.Helper()
	options := mockapi.Options{Contract: declared(t, contract.DefaultProfile)}
	for _, c := range change {
		c(&options.Contract)
	}
	kept := &store.Memory{}
	return newBench(t, options, func() store.Store { return kept })
}

func TestKeys(t *testing.T) {
	t.Parallel()
	b := inMemory(t)
	long := strings.Repeat("k", 300)
	for name, c := range map[string]struct {
		header []string
		status int
		code   string
	}{
		"none":                     {nil, 400, "idempotency_key_missing"},
		"empty":                    {[]string{keyHeader, `""`}, 400, "idempotency_key_malformed"},
		"bare":                     {[]string{keyHeader, `abc`}, 400, "idempotency_key_malformed"},
		"unbalanced":               {[]string{keyHeader, `"abc`}, 400, "idempotency_key_malformed"},
		"not ASCII":                {[]string{keyHeader, `"schlüssel"`}, 400, "idempotency_key_malformed"},
		"sent twice":               {[]string{keyHeader, `"a"`, keyHeader, `"b"`}, 400, "idempotency_key_malformed"},
		"long":                     {[]string{keyHeader, `"` + long + `"`}, 201, ""},
		"long, another at the end": {[]string{keyHeader, `"` + long[1:] + `x"`}, 201, ""},
		"lower case":               {[]string{keyHeader, `"case"`}, 201, ""},
		"upper case":               {[]string{keyHeader, `"CASE"`}, 201, ""},
	} {
		t.Run(name, func(t *testing.T) {
			got := b.send("POST", "/v1/tickets", ticket(strings.ReplaceAll(name, " ", "-")), c.header...)
			if got.status != c.status || got.code() != c.code || got.replayed() {
				t.Errorf("got %d %q, want %d %q", got.status, got.code(), c.status, c.code)
			}
		})
	}
}

func TestScopeOfAKey(t *testing.T) {
	t.Parallel()
	b := inMemory(t)
	first := b.create("k1", "t")
	other := b.send("POST", "/v1/tickets", ticket("t"), keyHeader, `"k1"`, "Authorization", "Bearer globex-token")
	if other.status != 201 || other.replayed() || other.field("id") == first.field("id") {
		t.Errorf("another tenant with the same key: %d %s", other.status, other.body)
	}
	closing := b.send("POST", "/v1/tickets/"+first.field("id")+"/close", "", keyHeader, `"k1"`)
	b.expect("another route with the same key", closing, 204, "")
	b.expect("another ticket with the same key", b.send("POST", "/v1/tickets/"+b.create("k2", "t2").field("id")+"/close", "", keyHeader, `"k1"`), 422, "idempotency_key_reused")
	b.expect("another tenant's ticket", b.send("GET", "/v1/tickets/"+first.field("id"), "", "Authorization", "Bearer globex-token"), 404, "not_found")
	b.expect("another tenant's operation", b.send("GET", "/v1/operations/k2", "", "Authorization", "Bearer globex-token"), 404, "not_found")
	b.expect("no token", b.send("POST", "/v1/tickets", ticket("t"), keyHeader, `"k1"`, "Authorization", ""), 401, "unauthorized")
	b.expect("wrong token", b.send("POST", "/v1/tickets", ticket("t"), keyHeader, `"k1"`, "Authorization", "Bearer x"), 401, "unauthorized")
	b.expect("key on a GET", b.send("GET", "/v1/tickets", "", keyHeader, `"k1"`), 200, "")
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	b := inMemory(t)
	invalid := b.send("POST", "/v1/tickets", `{"project":"","title":"t"}`, keyHeader, `"k1"`)
	b.expect("invalid", invalid, 422, "invalid_request")
	b.expect("valid, same key", b.create("k1", "t"), 201, "")

	closed := b.send("POST", "/v1/tickets", `{"project":"closed","title":"t"}`, keyHeader, `"k2"`)
	again := b.send("POST", "/v1/tickets", `{"project":"closed","title":"t"}`, keyHeader, `"k2"`)
	b.expect("closed project", closed, 403, "project_closed")
	b.expect("closed project again", again, 403, "project_closed")
	if closed.replayed() || !again.replayed() || closed.body != again.body || b.state("k2") != "failed" {
		t.Errorf("a final refusal is stored: %v, then %v; state %s", closed, again, b.state("k2"))
	}

	for range 2 {
		b.expect("broken project", b.send("POST", "/v1/tickets", `{"project":"explode","title":"t"}`, keyHeader, `"k3"`), 500, "internal")
	}
	b.expect("cut", b.send("POST", "/v1/tickets", `{"project":"ops"`, keyHeader, `"k4"`), 400, "malformed_body")
	b.expect("text", b.send("POST", "/v1/tickets", ticket("t"), keyHeader, `"k4"`, "Content-Type", "text/plain"), 415, "unsupported_media")
	b.expect("too large", b.send("POST", "/v1/tickets", `"`+strings.Repeat("x", 1<<20)+`"`, keyHeader, `"k4"`), 413, "too_large")
	b.expect("nothing there", b.send("GET", "/v1/nothing", ""), 404, "not_found")
	b.expect("no such method", b.send("DELETE", "/v1/tickets", ""), 405, "method_not_allowed")
	b.expect("no such ticket", b.send("POST", "/v1/tickets/x/close", "", keyHeader, `"k5"`), 404, "not_found")
	if got := b.send("GET", "/healthz", "", "Authorization", ""); got.status != 200 {
		t.Errorf("health: %d", got.status)
	}
}

func TestAnswersWithoutABodyAndLargeOnesReplay(t *testing.T) {
	t.Parallel()
	onEveryStore(t, func(b *bench) {
		path := "/v1/tickets/" + b.create("k1", "t").field("id")
		for i := range 3 {
			closed := b.send("POST", path+"/close", "", keyHeader, `"c"`)
			if b.expect("close", closed, 204, ""); closed.replayed() != (i > 0) {
				b.t.Errorf("close %d: marked %v", i, closed.replayed())
			}
		}
		first := b.send("POST", path+"/export", "", keyHeader, `"e"`)
		again := b.send("POST", path+"/export", "", keyHeader, `"e"`)
		if len(first.body) <= 1<<20 || first.body != again.body || !again.replayed() || again.header.Get("Content-Type") != "text/plain; charset=utf-8" {
			b.t.Errorf("export: %d bytes, then %d bytes, %v", len(first.body), len(again.body), again.header)
		}
		if got := b.send("GET", path, ""); !strings.Contains(got.body, `"closures":1,"exports":1`) {
			b.t.Errorf("ticket %s", got.body)
		}
	})
}

func TestPaymentMovesTheBalanceOnce(t *testing.T) {
	t.Parallel()
	onEveryStore(t, func(b *bench) {
		account := b.send("POST", "/v1/accounts", `{}`).field("id")
		pay := func(key, amount string) answer {
			return b.send("POST", "/v1/payments", `{"account":"`+account+`","amount":`+amount+`,"currency":"EUR","order":"o1"}`, keyHeader, `"`+key+`"`)
		}
		b.expect("payment", pay("k1", "1999"), 201, "")
		b.expect("retry", pay("k1", "1.999e3"), 201, "")
		b.expect("another amount", pay("k1", "2000"), 422, "idempotency_key_reused")
		if got := b.send("GET", "/v1/accounts/"+account, "").body; got != `{"id":"`+account+`","balance":98001}` {
			b.t.Errorf("account %s", got)
		}
		if n := b.downstream.booked(account); n != 1 {
			b.t.Errorf("%d bookings, want 1", n)
		}
		refused := b.send("POST", "/v1/payments", `{"account":"`+account+`","amount":1,"currency":"EUR","order":"refused"}`, keyHeader, `"k2"`)
		b.expect("refused", refused, 402, "payment_refused")
	})
}

func TestIdentityInThePath(t *testing.T) {
	t.Parallel()
	b := inMemory(t)
	b.expect("create", b.send("PUT", "/v1/labels/a%2Fb", `{"color":"green"}`), 201, "")
	b.expect("repeat, other spelling of the path", b.send("PUT", "/v1/l%61bels/%61%2fb", `{"color":"green"}`), 200, "")
	if got := b.send("GET", "/v1/labels/a%2Fb", "").body; got != `{"ref":"a/b","color":"green","changes":1}` {
		t.Errorf("label %s", got)
	}
}

func TestCompressedBodyMeansTheSame(t *testing.T) {
	t.Parallel()
	b := inMemory(t)
	first := b.create("k1", "t")
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, _ = w.Write([]byte(ticket("t")))
	_ = w.Close()
	got := b.send("POST", "/v1/tickets", packed.String(), keyHeader, `"k1"`, "Content-Encoding", "gzip", "Content-Type", `Application/JSON; charset="UTF-8"`)
	if got.body != first.body || !got.replayed() {
		t.Errorf("got %d %s", got.status, got.body)
	}
}

func TestStripeContract(t *testing.T) {
	t.Parallel()
	kept := &store.Memory{}
	b := newBench(t, mockapi.Options{Contract: declared(t, "stripe-v1")}, func() store.Store { return kept })
	post := func(path, body string, header ...string) answer { return b.send("POST", path, body, header...) }
	b.expect("no key", post("/v1/tickets", ticket("t")), 201, "")
	b.expect("no key again", post("/v1/tickets", ticket("t")), 201, "")
	if n := b.tickets("t"); n != 2 || b.downstream.booked("t") != 2 {
		t.Errorf("without a key: %d tickets, %d bookings, want 2 and 2", n, b.downstream.booked("t"))
	}
	created := post("/v1/tickets", ticket("u"), keyHeader, "k1")
	b.expect("bare key", created, 201, "")
	b.expect("changed payload", post("/v1/tickets", ticket("v"), keyHeader, "k1"), 400, "idempotency_error")
	b.expect("other route", post("/v1/tickets/"+created.field("id")+"/close", "", keyHeader, "k1"), 400, "idempotency_error")
	for range 2 {
		b.expect("broken", post("/v1/tickets", `{"project":"explode","title":"t"}`, keyHeader, "k2"), 500, "internal")
	}
	if b.state("k2") != "failed" {
		t.Errorf("a 500 is stored: state %s, want failed", b.state("k2"))
	}
	b.downstream.set(func() { b.downstream.hold = make(chan struct{}) })
	for len(b.downstream.arrived) > 0 {
		<-b.downstream.arrived
	}
	go func() { _, _ = b.try(t.Context(), "POST", "/v1/tickets", ticket("w"), keyHeader, "k3") }()
	b.downstream.await(t)
	b.expect("in flight", post("/v1/tickets", ticket("w"), keyHeader, "k3"), 409, "idempotency_key_in_use")
}

func TestDuplicateMayWaitForTheFirst(t *testing.T) {
	t.Parallel()
	b := inMemory(t, func(c *contract.Contract) { c.InFlight.Action = contract.ActionWait })
	b.downstream.set(func() { b.downstream.hold = make(chan struct{}) })
	first := b.later("k1", "t")
	b.downstream.await(t)
	second := b.later("k1", "t")
	b.downstream.set(func() { release(&b.downstream.hold) })
	one, two := <-first, <-second
	if one.status != 201 || one.replayed() || two.status != 201 || !two.replayed() || one.body != two.body {
		t.Errorf("first %d %s, second %d %s", one.status, one.body, two.status, two.body)
	}
	b.expectOnce("t")
}
