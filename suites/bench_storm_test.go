package suites_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/oncespec/oncespec/reports"
	"github.com/oncespec/oncespec/scenarios/run"
	"github.com/oncespec/oncespec/scenarios/storm"
	"github.com/oncespec/oncespec/scenarios/target/config"
	"github.com/oncespec/oncespec/suites"
)

// BenchmarkStorm compares the attempts that a storm makes in a second (intents, faults, pauses of its clients, counting and
// explaining included) with a bare client that sends the very same writes, as many at once, on a connection of its own each.
func BenchmarkStorm(b *testing.B) {
	const rounds, clients = 10, 8
	api := &zeroWork{}
	tape := &tape{next: api}
	server := httptest.NewServer(tape)
	defer server.Close()
	cfg, err := config.Parse("zero work", []byte(fmt.Sprintf(zeroWorkYAML, "1ms")), os.LookupEnv)
	if err != nil {
		b.Fatal(err)
	}
	cfg.Target.URL = server.URL
	cfg.Limits.Objects = 1 << 30
	bare := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}

	var stormed, sent stopwatch
	attempts := 0
	for b.Loop() {
		api.forget()
		tape.take()
		stormed.time(func() {
			report, err := suites.Execute(b.Context(), suites.Options{Config: cfg, Storm: storm.Order{Length: storm.Length{Operations: rounds * storm.Round}},
				Selection: run.Selection{Requirements: []string{"lost/storm"}, Operations: []string{"create"}}})
			if err != nil || report.Result != reports.Conformant {
				b.Fatal(err, report)
			}
		})
		var writes []taped
		for _, t := range tape.take() {
			if t.method == http.MethodPost {
				writes = append(writes, t)
			}
		}
		attempts += len(writes)
		api.forget()
		sent.time(func() {
			var all sync.WaitGroup
			for c := range clients {
				all.Go(func() {
					for i := c; i < len(writes); i += clients {
						writes[i].send(b, server.URL, bare)
					}
				})
			}
			all.Wait()
		})
	}
	b.ReportMetric(float64(attempts)/stormed.total.Seconds(), "attempts/s")
	b.ReportMetric(float64(attempts)/sent.total.Seconds(), "bare/s")
	b.ReportMetric(stormed.times(sent), "x-of-bare")
	b.ReportMetric(stormed.each(b.N*rounds, time.Millisecond), "ms/round")
}
