package target_test

import (
	"io"
	"log"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/oncespec/oncespec/faults/link"
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/target"
)

// TestTLS: faults act on the bytes of the exchange also where the target speaks TLS.
func TestTLS(t *testing.T) {
	t.Parallel()
	server := httptest.NewUnstartedServer(&api{})
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	t.Cleanup(server.Close)
	r := startAt(t, configure(t, server.URL, plain))

	s := r.stage("lost/response")
	if a := s.Do(t.Context(), must(s.Intent(t.Context())), target.Send{}); a.Outcome != history.Unsent || !strings.Contains(a.Reason, "certificate") {
		t.Errorf("a certificate that nobody vouches for: %+v", a)
	}
	r.Trust(server.Certificate())
	r.steady(t)
	in := must(s.Intent(t.Context()))
	if a := s.Do(t.Context(), in, target.Send{Fault: link.Plan{DropResponse: true}}); a.Outcome != history.Lost || !a.Link.RequestWhole || !a.Link.Cut || !strings.HasPrefix(a.Request.URL, "https://") {
		t.Errorf("answer dropped: %+v", a)
	}
	s.Resolve(t.Context(), in, target.Send{})
	if c := counts(s.Observe(t.Context(), in, "after")); c[history.Resource] != 1 {
		t.Errorf("observed: %v", c)
	}
}
