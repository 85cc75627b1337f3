//go:build unix

package fuzz

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/google/uuid"

	"github.com/oncespec/oncespec/scenarios/rewrite"
)

// BenchmarkPairs is what a random search gets through on the mock in memory. Compare pairs/s with those of BenchmarkBareClient.
func BenchmarkPairs(b *testing.B) {
	defer debug.SetGCPercent(debug.SetGCPercent(CollectPercent))
	cfg := serve(b, "", ticketsYAML)
	cfg.Limits.Objects = 1 << 30
	before := processor()
	b.ResetTimer()
	r, err := Run(b.Context(), Options{Config: cfg, Seed: 1, Cases: max(b.N, rewrite.Handful), noSweep: true})
	if err != nil || r.Problem != "" {
		b.Fatal(err, r.Problem)
	}
	op := r.Operations[0]
	b.ReportMetric(float64(op.Pairs)/b.Elapsed().Seconds(), "pairs/s")
	b.ReportMetric(float64(op.Requests)/float64(op.Pairs), "requests/pair")
	b.ReportMetric((processor()-before)/float64(op.Pairs), "cpu-µs/pair")
}

// BenchmarkBareClient is a client that does nothing but send: one request under a fresh key, then as many changed ones under
// it as a hand has, on kept connections, by as many goroutines as the search has.
func BenchmarkBareClient(b *testing.B) {
	defer debug.SetGCPercent(debug.SetGCPercent(CollectPercent))
	url := serve(b, "", ticketsYAML).Target.URL + "/v1/tickets?notify=owner"
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: defaultWorkers}}
	defer client.CloseIdleConnections()
	post := func(key, body string) error {
		request, err := http.NewRequestWithContext(b.Context(), http.MethodPost, url, bytes.NewReader([]byte(body)))
		if err != nil {
			return err
		}
		request.GetBody = nil // nothing is sent twice
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("Authorization", "Bearer acme-token")
		request.Header.Set("Idempotency-Key", `"`+key+`"`)
		answer, err := client.Do(request)
		if err != nil {
			return err
		}
		defer answer.Body.Close()
		_, err = io.Copy(io.Discard, answer.Body)
		return err
	}
	const body = `{"project":"ops","title":"bench","priority":"high","labels":["red","blue"],"details":{"source":{"system":"billing","page":7},"ratio":0.25,"note":"first draft","n":%d}}`
	var pairs atomic.Int64
	var group sync.WaitGroup
	before := processor()
	b.ResetTimer()
	for range defaultWorkers {
		group.Go(func() {
			for pairs.Load() < int64(b.N) {
				key := uuid.NewString()
				for n := range rewrite.Handful + 1 {
					if err := post(key, fmt.Sprintf(body, n)); err != nil {
						b.Error(err)
						return
					}
				}
				pairs.Add(rewrite.Handful)
			}
		})
	}
	group.Wait()
	b.ReportMetric(float64(pairs.Load())/b.Elapsed().Seconds(), "pairs/s")
	b.ReportMetric((processor()-before)/float64(pairs.Load()), "cpu-µs/pair")
}

// processor is the time that this process has had a processor, in microseconds: what a machine that others use too tells best.
// The target's share is in it.
func processor() float64 {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return float64(u.Utime.Sec+u.Stime.Sec)*1e6 + float64(u.Utime.Usec+u.Stime.Usec)
}
