package target_test

import (
	"errors"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/oncespec/oncespec/faults/life"
	"github.com/oncespec/oncespec/faults/link/linktest"
	"github.com/oncespec/oncespec/scenarios/catalogue"
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/target"
)

// linkedFar starts the api with a database, both behind a Toxiproxy of somebody else's. It calls its database by the link, or
// past it.
func linkedFar(t *testing.T, byLink bool) rig {
	t.Helper()
	toxiproxy := linktest.Start(t, linktest.Options{})
	d := newDatabase(t)
	port, err := life.FreePort()
	if err != nil {
		t.Fatal(err)
	}
	listen := fmt.Sprintf("127.0.0.1:%d", port)
	a := &api{store: listen}
	if !byLink {
		a.store = d.addr
	}
	server := httptest.NewServer(a)
	t.Cleanup(server.Close)
	return startAt(t, configure(t, server.URL, plain, append(behind(toxiproxy.URL), "contract:", fmt.Sprintf("  store: {listen: %q, upstream: %q}\ncontract:", listen, d.addr))...))
}

// TestStoreBehindSomebodyElsesToxiproxy: it is cut, silenced and slowed there; it cannot be held.
func TestStoreBehindSomebodyElsesToxiproxy(t *testing.T) {
	t.Parallel()
	r := linkedFar(t, true)
	if s, _ := r.steady(t); !offers(s, catalogue.NeedStoreCut) || offers(s, catalogue.NeedStoreLink) || !strings.Contains(s.Missing[catalogue.NeedStoreLink], "cannot hold it") {
		t.Fatalf("offers: %v, %v", s.Offers, s.Missing)
	}
	s := r.stage("failure/store-down")
	for name, begin := range map[string]func(*target.Intent) func(){
		"cut":    func(in *target.Intent) func() { _, mend := s.CutStore(in); return mend },
		"silent": func(in *target.Intent) func() { return s.SilenceStore(in) },
	} {
		in := must(s.Intent(t.Context()))
		end := begin(in)
		if a := s.Do(t.Context(), in, target.Send{}); a.Answer == nil || a.Answer.Status != 503 {
			t.Errorf("%s: %+v", name, a.Answer)
		}
		end()
		if a := s.Do(t.Context(), in, target.Send{}); a.Answer == nil || a.Answer.Status != 201 {
			t.Errorf("%s, afterwards: %+v", name, a.Answer)
		}
	}
	end := s.DelayStore(nil, 20*time.Millisecond)
	if a := s.Do(t.Context(), must(s.Intent(t.Context())), target.Send{}); a.Outcome != history.Answered || a.Link.FirstByteAt-a.Link.LastRequestAt < 40_000 {
		t.Errorf("slow: %+v", a)
	}
	end()
	for _, f := range s.Histories()[0].Faults("") {
		if strings.HasPrefix(f.Kind, "store-") && (!f.Landed || !strings.Contains(f.Detail, "by the Toxiproxy at http")) {
			t.Errorf("%+v", f)
		}
	}
}

// TestStoreThatIsNotUsedBehindSomebodyElsesToxiproxy: an operation that is no slower with a slow database does not use the link.
func TestStoreThatIsNotUsedBehindSomebodyElsesToxiproxy(t *testing.T) {
	t.Parallel()
	r := linkedFar(t, false)
	if s, _ := r.steady(t); offers(s, catalogue.NeedStoreCut) || !strings.Contains(s.Missing[catalogue.NeedStoreCut], "{store}") {
		t.Errorf("offers: %v, %v", s.Offers, s.Missing)
	}
}

// TestStoreThatIsNotThereBehindSomebodyElsesToxiproxy is the environment's.
func TestStoreThatIsNotThereBehindSomebodyElsesToxiproxy(t *testing.T) {
	t.Parallel()
	toxiproxy := linktest.Start(t, linktest.Options{})
	up := httptest.NewServer(&api{})
	t.Cleanup(up.Close)
	_, err := target.Start(t.Context(), target.Options{Dir: t.TempDir(), Config: configure(t, up.URL, plain,
		append(behind(toxiproxy.URL), "contract:", fmt.Sprintf("  store: {listen: \"%s\", upstream: %q}\ncontract:", free(t), free(t)))...)})
	var environment *target.EnvironmentError
	if !errors.As(err, &environment) || !strings.Contains(err.Error(), "is the database running?") || toxiproxy.Proxies() != 0 {
		t.Errorf("%v, %d proxies", err, toxiproxy.Proxies())
	}
}
