package link

import (
	"context"
	"io"
	"net/http"
	"time"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

// sentBytes is the counter of what a proxy handed on. A connection is counted when it has ended, if all of it could be written.
const sentBytes = "toxiproxy_proxy_sent_bytes_total"

// mostCounters bounds what is read of a server's counters.
const mostCounters = 16 << 20

// counted is how many bytes a proxy handed on to its upstream; 0 where the server does not count, which it does only when it is
// told to.
func (r *Remote) counted(ctx context.Context, name string) int64 {
	ctx, cancel := context.WithTimeout(ctx, countLimit)
	defer cancel()
	for r.Counts {
		bytes, counts := r.counters(ctx, name)
		if bytes > 0 || !counts {
			return bytes
		}
		select {
		case <-time.After(countPause):
		case <-ctx.Done():
			return 0
		}
	}
	return 0
}

func (r *Remote) counters(ctx context.Context, name string) (bytes int64, counts bool) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, r.url+"/metrics", nil)
	if err != nil {
		return 0, false
	}
	answer, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}, CheckRedirect: stay}).Do(request)
	if err != nil {
		return 0, false
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return 0, false
	}
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(io.LimitReader(answer.Body, mostCounters))
	if err != nil {
		return 0, false
	}
	for _, m := range families[sentBytes].GetMetric() {
		labels := map[string]string{}
		for _, l := range m.GetLabel() {
			labels[l.GetName()] = l.GetValue()
		}
		if labels["proxy"] == name && labels["direction"] == "upstream" {
			bytes += int64(m.GetCounter().GetValue())
		}
	}
	return bytes, true
}

// stay follows nobody elsewhere.
func stay(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
