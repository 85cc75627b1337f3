package suites_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/oncespec/oncespec/faults/link"
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/target"
	"github.com/oncespec/oncespec/scenarios/target/config"
)

// stopwatch sums up what one side of a comparison took. Both sides are measured in one run and in turns, so that a slow
// moment of the machine meets both alike.
type stopwatch struct{ total time.Duration }

func (s *stopwatch) time(do func()) {
	began := time.Now()
	do()
	s.total += time.Since(began)
}

// times is how many times as long as another this side took.
func (s stopwatch) times(other stopwatch) float64 { return float64(s.total) / float64(other.total) }

// each is what one of n took, in a unit.
func (s stopwatch) each(n int, unit time.Duration) float64 {
	return float64(s.total) / float64(n) / float64(unit)
}

// BenchmarkAttempt compares one attempt, which has a proxy of its own and leaves a record, with the bare call of an HTTP
// client: on a connection of its own, as an attempt has, and on a warm one.
func BenchmarkAttempt(b *testing.B) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusCreated)
		_, _ = io.WriteString(w, `{"id":"1","title":"t-0123456789abcdef"}`)
	}))
	defer server.Close()
	cfg, err := config.Parse("oncespec.yaml", []byte(fmt.Sprintf(`
target: {name: nothing, url: %s}
operations:
  create:
    request: {method: POST, path: /tickets, body: {title: t-0123456789abcdef, priority: high, amount: 3}}
    unique: [/title]
`, server.URL)), nil)
	if err != nil {
		b.Fatal(err)
	}
	tg, err := target.Start(b.Context(), target.Options{Config: cfg})
	if err != nil {
		b.Fatal(err)
	}
	defer tg.Close(b.Context())
	stage, in := openStage(b, tg, cfg.Operations["create"])

	cold := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	warm := &http.Client{Transport: &http.Transport{}}
	defer warm.CloseIdleConnections()

	var attempt, fresh, kept stopwatch
	b.ReportAllocs()
	for n := 0; b.Loop(); n++ {
		if n%100 == 99 { // about what the largest history holds
			stage, in = openStage(b, tg, cfg.Operations["create"])
		}
		attempt.time(func() {
			if a := stage.Do(b.Context(), in, target.Send{}); a.Outcome != history.Answered {
				b.Fatal(a.Reason)
			}
		})
		fresh.time(func() { post(b, cold, server.URL, in.Key) })
		kept.time(func() { post(b, warm, server.URL, in.Key) })
	}
	b.ReportMetric(attempt.each(b.N, time.Microsecond), "µs/attempt")
	b.ReportMetric(fresh.each(b.N, time.Microsecond), "µs/fresh-call")
	b.ReportMetric(kept.each(b.N, time.Microsecond), "µs/warm-call")
	b.ReportMetric(attempt.times(fresh), "x-of-fresh-call")
	b.ReportMetric(attempt.times(kept), "x-of-warm-call")
}

func openStage(b *testing.B, tg *target.Target, op *config.Operation) (*target.Stage, *target.Intent) {
	b.Helper()
	stage := tg.Stage(target.Scenario{ID: "bench/attempt"}, op, target.StageOptions{})
	in, err := stage.Intent(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	return stage, in
}

// post sends what an attempt sends, by hand.
func post(b *testing.B, client *http.Client, url, key string) {
	req, err := http.NewRequest(http.MethodPost, url+"/tickets", strings.NewReader(`{"title":"t-0123456789abcdef","priority":"high","amount":3}`))
	if err != nil {
		b.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Idempotency-Key", `"`+key+`"`)
	resp, err := client.Do(req)
	if err != nil {
		b.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, resp.Body)
	resp.Body.Close()
}

// BenchmarkProxy compares an exchange of a few bytes over TCP through a proxy of its own, as every attempt has one, with the
// same exchange without it: what an attempt costs before there is any HTTP, record or verdict.
func BenchmarkProxy(b *testing.B) {
	server, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	defer server.Close()
	go func() {
		for {
			c, err := server.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				_, _ = io.Copy(c, c)
			}()
		}
	}()
	links := link.New()
	defer links.Close()
	upstream := link.Upstream{Addr: server.Addr().String()}

	var open, through, end, bare stopwatch
	for b.Loop() {
		var wire *link.Wire
		open.time(func() { wire, err = links.Open(b.Context(), upstream, link.Plan{}) })
		if err != nil {
			b.Fatal(err)
		}
		through.time(func() { echo(b, wire.Addr) })
		end.time(wire.Close)
		bare.time(func() { echo(b, upstream.Addr) })
	}
	b.ReportMetric(open.each(b.N, time.Microsecond), "µs/open")
	b.ReportMetric(through.each(b.N, time.Microsecond), "µs/exchange")
	b.ReportMetric(end.each(b.N, time.Microsecond), "µs/close")
	b.ReportMetric(bare.each(b.N, time.Microsecond), "µs/bare-exchange")
	b.ReportMetric(stopwatch{open.total + through.total + end.total}.times(bare), "x-of-bare")
}

// echo dials, sends a few bytes and reads them back.
func echo(b *testing.B, addr string) {
	c, err := net.Dial("tcp", addr)
	if err != nil {
		b.Fatal(err)
	}
	defer c.Close()
	text := []byte("request")
	if _, err = c.Write(text); err == nil {
		_, err = io.ReadFull(c, text)
	}
	if err != nil {
		b.Fatal(err)
	}
}
