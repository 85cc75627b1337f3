package target_test

import (
	"errors"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/oncespec/oncespec/faults/link"
	"github.com/oncespec/oncespec/faults/link/linktest"
	"github.com/oncespec/oncespec/scenarios/catalogue"
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/target"
)

func behind(url string) []string {
	return []string{"timeouts: {", "toxiproxy: {url: \"" + url + "\"}\ntimeouts: {"}
}

// TestThroughSomebodyElsesToxiproxy: faults land all the same; what was never answered proves nothing.
func TestThroughSomebodyElsesToxiproxy(t *testing.T) {
	t.Parallel()
	toxiproxy := linktest.Start(t, linktest.Options{})
	a := &api{}
	server := httptest.NewServer(a)
	t.Cleanup(server.Close)
	r := startAt(t, configure(t, server.URL, plain, behind(toxiproxy.URL)...))
	if toxiproxy.Proxies() != 1 {
		t.Errorf("%d proxies", toxiproxy.Proxies())
	}
	if s, _ := r.steady(t); !offers(s, catalogue.NeedDirect) {
		t.Errorf("offers: %v, %v", s.Offers, s.Missing)
	}
	s := r.stage("lost/response")
	in := must(s.Intent(t.Context()))
	if first := s.Do(t.Context(), in, target.Send{Fault: link.Plan{DropResponse: true}}); first.Outcome != history.Lost || !first.Link.Cut || !first.Link.RequestWhole ||
		first.Link.ResponseBytes == 0 || !strings.Contains(first.Link.Through, toxiproxy.URL) {
		t.Errorf("dropped: %+v", first)
	}
	if again := s.Do(t.Context(), in, target.Send{}); again.Outcome != history.Answered || !again.Link.Reached {
		t.Errorf("again: %+v", again)
	}
	if c := counts(s.Observe(t.Context(), in, "after")); c[history.Resource] != 1 {
		t.Errorf("effects: %v", c)
	}
	cut := s.Do(t.Context(), must(s.Intent(t.Context())), target.Send{Fault: link.Plan{CutRequest: 60}})
	if cut.Outcome != history.Lost || !cut.Link.Reached || cut.Link.RequestWhole || !cut.Link.Cut || cut.Link.RequestBytes != 60 || !strings.Contains(cut.Link.Through, "limit_data") {
		t.Errorf("cut: %+v", cut)
	}
	left := s.Do(t.Context(), must(s.Intent(t.Context())), target.Send{HangUp: true})
	if left.Outcome != history.Lost || !left.Link.RequestWhole || left.Link.Cut || left.Link.ResponseBytes != 0 {
		t.Errorf("left: %+v", left)
	}
	gone := make(chan struct{})
	close(gone)
	gave := s.Do(t.Context(), must(s.Intent(t.Context())), target.Send{GiveUp: gone})
	if gave.Link.RequestWhole && gave.Link.ResponseBytes == 0 {
		t.Errorf("one that gave up, and that nothing tells of: %+v", gave)
	}
	server.Close()
	if dead := s.Do(t.Context(), must(in, nil), target.Send{}); dead.Outcome != history.Lost && dead.Outcome != history.Unsent || dead.Link.Reached {
		t.Errorf("dead: %+v", dead)
	}
	if err := r.Revive(t.Context()); err == nil {
		t.Error("a target that is dead behind the proxy was not missed")
	}
	if err := r.Close(t.Context()); err != nil || toxiproxy.Proxies() != 0 {
		t.Errorf("%v, %d proxies left", err, toxiproxy.Proxies())
	}
}

// TestToxiproxyWithoutAPortToSpare: what needs a proxy of a single attempt is not offered, and says why.
func TestToxiproxyWithoutAPortToSpare(t *testing.T) {
	t.Parallel()
	toxiproxy := linktest.Start(t, linktest.Options{})
	server := httptest.NewServer(&api{})
	t.Cleanup(server.Close)
	r := startAt(t, configure(t, server.URL, plain, "timeouts: {", "toxiproxy: {url: \""+toxiproxy.URL+"\", listen: \""+free(t)+"\"}\ntimeouts: {"))
	s, _ := r.steady(t)
	if offers(s, catalogue.NeedDirect) || !strings.Contains(s.Missing[catalogue.NeedDirect], "toxiproxy.listen") {
		t.Errorf("offers: %v, %v", s.Offers, s.Missing)
	}
	cut := r.stage("lost/partial-request")
	a := cut.Do(t.Context(), must(cut.Intent(t.Context())), target.Send{Fault: link.Plan{CutRequest: 60}})
	if a.Outcome != history.Lost || a.Link.Reached || !strings.Contains(a.Reason, "is not known") {
		t.Errorf("cut: %+v", a)
	}
}

// TestToxiproxyThatIsLost is the environment's, not the target's: one that stopped, and one that was emptied.
func TestToxiproxyThatIsLost(t *testing.T) {
	t.Parallel()
	for want, stop := range map[string]bool{"was it stopped?": true, "is gone": false} {
		toxiproxy := linktest.Start(t, linktest.Options{})
		r := living(t, behind(toxiproxy.URL)...)
		toxiproxy.Empty(t)
		if stop {
			toxiproxy.Close()
		}
		var environment *target.EnvironmentError
		if err := r.Revive(t.Context()); !errors.As(err, &environment) || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), toxiproxy.URL) {
			t.Errorf("%v", err)
		}
	}
}

// TestProcessThroughSomebodyElsesToxiproxy: it is killed and comes back, at the place where the proxy leads.
func TestProcessThroughSomebodyElsesToxiproxy(t *testing.T) {
	t.Parallel()
	toxiproxy := linktest.Start(t, linktest.Options{})
	r := living(t, append(behind(toxiproxy.URL), "  tenants:", "  replicas: [\"http://127.0.0.1:{port}\"]\n  tenants:")...)
	if toxiproxy.Proxies() != 2 {
		t.Errorf("%d proxies", toxiproxy.Proxies())
	}
	s := r.stage("crash/durable")
	if _, err := s.Replicas(t.Context()); err != nil {
		t.Fatal(err)
	}
	for replica := range 2 {
		in := must(s.Intent(t.Context()))
		if err := s.Instance(replica).Kill(t.Context(), nil, "", nil); err != nil {
			t.Fatal(err)
		}
		if err := s.Instance(replica).Restart(t.Context()); err != nil {
			t.Fatal(err)
		}
		if a := s.Do(t.Context(), in, target.Send{Replica: replica}); a.Outcome != history.Answered {
			t.Errorf("instance %d: %+v", replica, a)
		}
	}
}

// TestToxiproxyThatIsNotThere is the environment's.
func TestToxiproxyThatIsNotThere(t *testing.T) {
	t.Parallel()
	up := httptest.NewServer(&api{})
	t.Cleanup(up.Close)
	url := "http://" + free(t)
	_, err := target.Start(t.Context(), target.Options{Config: configure(t, up.URL, plain, behind(url)...), Dir: t.TempDir()})
	var environment *target.EnvironmentError
	if !errors.As(err, &environment) || !strings.Contains(err.Error(), url) || !strings.Contains(err.Error(), "is it running?") {
		t.Errorf("got %v", err)
	}
}
