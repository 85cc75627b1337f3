package linktest

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/Shopify/toxiproxy/v2"
	"github.com/Shopify/toxiproxy/v2/collectors"
	"github.com/rs/zerolog"
)

// Toxiproxy is a server of somebody else's, at its URL. Close stops it and leaves its proxies as they are, as one that is gone does.
type Toxiproxy struct {
	*httptest.Server
	server *toxiproxy.ApiServer
}

// Options say how it was started. The zero value is how most are.
type Options struct {
	Counts bool                            // it keeps counters, as with -proxy-metrics
	Front  func(http.Handler) http.Handler // sees each request of its API first
}

// Start starts one that is stopped, and emptied, when the test ends.
func Start(t testing.TB, o Options) *Toxiproxy {
	t.Helper()
	metrics := toxiproxy.NewMetricsContainer(nil)
	if o.Counts {
		metrics.ProxyMetrics = collectors.NewProxyMetricCollectors()
	}
	x := &Toxiproxy{server: toxiproxy.NewServer(metrics, zerolog.Nop())}
	var routes http.Handler = x.server.Routes()
	if o.Front != nil {
		routes = o.Front(routes)
	}
	x.Server = httptest.NewServer(routes)
	t.Cleanup(func() {
		_ = x.server.Collection.Clear() // one that the test has taken away is not missed
		x.Close()
	})
	return x
}

// Proxies is how many it has.
func (x *Toxiproxy) Proxies() int { return len(x.server.Collection.Proxies()) }

// Empty removes all of them, whosever they are.
func (x *Toxiproxy) Empty(t testing.TB) {
	t.Helper()
	if err := x.server.Collection.Clear(); err != nil {
		t.Fatal(err)
	}
}
