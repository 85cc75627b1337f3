package suites_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"
	"time"

	"github.com/oncespec/oncespec/reports"
	"github.com/oncespec/oncespec/scenarios/run"
	"github.com/oncespec/oncespec/scenarios/target/config"
	"github.com/oncespec/oncespec/suites"
)

// zeroWorkYAML describes the zeroWork handler: one operation that answers with the resource, and one that answers with nothing.
const zeroWorkYAML = `
target:
  name: zero work
  url: http://127.0.0.1:1
  tenants:
    acme: {default: true, headers: {Authorization: Bearer acme-token}}
    globex: {headers: {Authorization: Bearer globex-token}}
contract:
  profile: ietf-07
  marker: {name: Idempotent-Replayed, value: "true"}
operations:
  create:
    request: {method: POST, path: /v1/items, body: {title: t, priority: high}}
    unique: [/title]
    vary: {/priority: {enum: [low, high]}}
    effects: [{http: {get: "/v1/items?title={body:/title}", items: "$.items[*]", id: $.id}}]
    alter: {method: POST, path: "/v1/items/{answer:/id}/close", headers: {Idempotency-Key: '"{key}-alter"'}}
  stamp:
    request: {method: POST, path: /v1/stamps, body: {title: t, priority: high}}
    unique: [/title]
    vary: {/priority: {enum: [low, high]}}
    effects: [{http: {get: "/v1/items?title={body:/title}", items: "$.items[*]", id: $.id}}]
timeouts: {settle: %s}
`

// BenchmarkReplayPack compares a run of the whole replay pack (steady state, requirements, the last count, the verdicts) with
// a bare loop that sends the very same requests, writes and reads of the state alike.
//
// The settle time is a wait that the configuration asks for. It is paid once a run, whatever is run; the first benchmark
// leaves it out, the second one has the default.
func BenchmarkReplayPack(b *testing.B) {
	for _, c := range []struct{ name, settle string }{{"without-settling", "1ms"}, {"default-settling", "300ms"}} {
		b.Run(c.name, func(b *testing.B) { benchReplayPack(b, fmt.Sprintf(zeroWorkYAML, c.settle)) })
	}
}

func benchReplayPack(b *testing.B, yaml string) {
	api := &zeroWork{}
	tape := &tape{next: api}
	server := httptest.NewServer(tape)
	defer server.Close()
	cfg, err := config.Parse("zero work", []byte(yaml), os.LookupEnv)
	if err != nil {
		b.Fatal(err)
	}
	cfg.Target.URL = server.URL

	cold := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	warm := &http.Client{Transport: &http.Transport{}}
	defer warm.CloseIdleConnections()

	var pack, fresh, kept stopwatch
	requests, last := 0, ""
	for b.Loop() {
		api.forget()
		tape.take()
		var report *reports.Report
		began := time.Now()
		pack.time(func() {
			report, err = suites.Execute(b.Context(), suites.Options{Config: cfg, Selection: run.Selection{Packs: []string{"replay"}}})
		})
		if err != nil {
			b.Fatal(err)
		}
		if report.Result != reports.Conformant || report.Summary.Pass < 15 {
			b.Fatalf("result %s, %+v: %s", report.Result, report.Summary, report.Problem)
		}
		sent := tape.take()
		requests, last = len(sent), table(spent(report.Histories, time.Since(began)))
		api.forget()
		// As the harness does it: a connection of its own for each attempt, kept ones for reads.
		fresh.time(func() { sendAll(b, server.URL, sent, cold, warm) })
		api.forget()
		kept.time(func() { sendAll(b, server.URL, sent, warm, warm) })
	}
	b.Logf("what the last pack spent its time on\n%s", last)
	b.ReportMetric(float64(requests), "requests")
	b.ReportMetric(pack.each(b.N, time.Millisecond), "ms/pack")
	b.ReportMetric(fresh.each(b.N, time.Millisecond), "ms/loop-fresh")
	b.ReportMetric(kept.each(b.N, time.Millisecond), "ms/loop-warm")
	b.ReportMetric(pack.times(fresh), "x-of-fresh-loop")
	b.ReportMetric(pack.times(kept), "x-of-warm-loop")
}

func sendAll(b *testing.B, url string, sent []taped, writer, reader *http.Client) {
	for _, t := range sent {
		client := writer
		if t.method == http.MethodGet {
			client = reader
		}
		status, n := t.send(b, url, client)
		if status != t.status || n != t.answered {
			b.Fatalf("%s %s: answered %d with %d bytes, and %d with %d bytes before", t.method, t.uri, status, n, t.status, t.answered)
		}
	}
}

// send sends the request once more.
func (t taped) send(b *testing.B, url string, client *http.Client) (status int, answered int64) {
	req, err := http.NewRequest(t.method, url+t.uri, bytes.NewReader(t.body))
	if err != nil {
		b.Error(err)
		return 0, 0
	}
	req.Header = t.header
	resp, err := client.Do(req)
	if err != nil {
		b.Error(err)
		return 0, 0
	}
	defer resp.Body.Close()
	n, err := io.Copy(io.Discard, resp.Body)
	if err != nil {
		b.Error(err)
	}
	return resp.StatusCode, n
}
