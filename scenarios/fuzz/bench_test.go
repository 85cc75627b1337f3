//go:build unix

package fuzz

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime/debug"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/oncespec/oncespec/mockapi"
	"github.com/oncespec/oncespec/scenarios/target/config"
)

// benchPairs is how many pairs a round of BenchmarkPairs searches through.
const benchPairs = 2000

// BenchmarkPairs is a random search against a client that does nothing but send the same requests: in turns, a round of both for
// each iteration, each on a mock in memory that is new. Both send as many at a time, on kept connections.
func BenchmarkPairs(b *testing.B) {
	defer debug.SetGCPercent(debug.SetGCPercent(CollectPercent))
	recorded := record(b)
	var searched, bare []cost
	b.ResetTimer()
	for range b.N {
		cfg, end := benchTarget(b, nil)
		var op *Operation
		searched = append(searched, measure(func() { op = benchSearch(b, cfg) }))
		end()
		sent := 0
		for _, c := range recorded {
			sent += len(c)
		}
		if sent < op.Requests || op.Pairs < benchPairs {
			b.Fatalf("the search sent %d requests for %d pairs, the bare client %d requests", op.Requests, op.Pairs, sent)
		}
		cfg, end = benchTarget(b, nil)
		bare = append(bare, measure(func() { sendAll(b, cfg.Target.URL, recorded) }))
		end()
		if testing.Verbose() {
			b.Logf("search %v, bare client %v", searched[len(searched)-1], bare[len(bare)-1])
		}
	}
	b.ReportMetric(0, "ns/op")
	report := func(name string, of func(searched, bare cost) float64) {
		var all []float64
		for i := range searched {
			all = append(all, of(searched[i], bare[i]))
		}
		slices.Sort(all)
		b.ReportMetric(all[0], name+"-least")
		b.ReportMetric(all[len(all)/2], name)
		b.ReportMetric(all[len(all)-1], name+"-most")
	}
	report("pairs/s", func(s, _ cost) float64 { return benchPairs / s.wall.Seconds() })
	report("bare-pairs/s", func(_, c cost) float64 { return benchPairs / c.wall.Seconds() })
	report("of-bare", func(s, c cost) float64 { return c.wall.Seconds() / s.wall.Seconds() })
	report("of-bare-by-cpu", func(s, c cost) float64 { return c.processor / s.processor })
	b.ReportMetric(sum(bare).wall.Seconds()/sum(searched).wall.Seconds(), "of-bare-in-all")
}

// cost is what a round takes. The target's share is in it.
type cost struct {
	wall      time.Duration
	processor float64 // seconds
}

func sum(list []cost) (all cost) {
	for _, c := range list {
		all.wall += c.wall
		all.processor += c.processor
	}
	return all
}

func measure(do func()) cost {
	began, before := time.Now(), processor()
	do()
	return cost{time.Since(began), processor() - before}
}

// processor is the time that this process has had a processor: what a machine that others use too tells best.
func processor() float64 {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return float64(u.Utime.Sec+u.Stime.Sec) + float64(u.Utime.Usec+u.Stime.Usec)/1e6
}

// benchTarget serves the mock; seen is called with each request, and may be nil.
func benchTarget(b *testing.B, seen func(*http.Request)) (cfg *config.Config, end func()) {
	b.Helper()
	api, err := mockapi.New(mockapi.Options{})
	if err != nil {
		b.Fatal(err)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if seen != nil {
			seen(r)
		}
		api.ServeHTTP(w, r)
	}))
	if cfg, err = config.Parse("bench", []byte(ticketsYAML), nil); err != nil {
		b.Fatal(err)
	}
	cfg.Target.URL = server.URL
	cfg.Limits.Objects = 1 << 30
	cfg.Timeouts.Settle = time.Millisecond // which a search waits for once, at its end
	return cfg, func() { server.Close(); api.Close() }
}

func benchSearch(b *testing.B, cfg *config.Config) *Operation {
	r, err := Run(b.Context(), Options{Config: cfg, Seed: 1, Cases: benchPairs, noSweep: true})
	if err != nil || r.Problem != "" {
		b.Fatal(err, r.Problem)
	}
	return r.Operations[0]
}

// conversation is what was sent under one key, in order.
type conversation []message

type message struct {
	method, target string
	header         http.Header
	body           []byte
}

// record notes the writes of a search.
func record(b *testing.B) (all []conversation) {
	var mu sync.Mutex
	place := map[string]int{}
	cfg, end := benchTarget(b, func(r *http.Request) {
		if r.Method == http.MethodGet {
			return
		}
		body, err := io.ReadAll(r.Body)
		if err != nil {
			b.Error(err)
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		mu.Lock()
		defer mu.Unlock()
		key := r.Header.Get("Idempotency-Key")
		at, known := place[key]
		if !known {
			at = len(all)
			place[key], all = at, append(all, nil)
		}
		all[at] = append(all[at], message{r.Method, r.RequestURI, r.Header.Clone(), body})
	})
	defer end()
	benchSearch(b, cfg)
	return all
}

// sendAll sends what was recorded, each conversation under a key of its own.
func sendAll(b *testing.B, url string, all []conversation) {
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: defaultWorkers, DisableCompression: true}}
	defer client.CloseIdleConnections()
	next := make(chan conversation)
	var group sync.WaitGroup
	for range defaultWorkers {
		group.Go(func() {
			for c := range next {
				key := `"` + uuid.NewString() + `"`
				for _, one := range c {
					if err := sendOne(client, url, key, one); err != nil {
						b.Error(err)
					}
				}
			}
		})
	}
	for _, c := range all {
		next <- c
	}
	close(next)
	group.Wait()
}

func sendOne(client *http.Client, url, key string, one message) error {
	request, err := http.NewRequest(one.method, url+one.target, bytes.NewReader(one.body))
	if err != nil {
		return err
	}
	request.GetBody = nil // nothing is sent twice
	request.Header = one.header.Clone()
	request.Header.Set("Idempotency-Key", key)
	answer, err := client.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	_, err = io.Copy(io.Discard, answer.Body)
	return err
}
