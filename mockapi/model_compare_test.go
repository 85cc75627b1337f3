package mockapi_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/oncespec/oncespec/mockapi/reference"
)

// converge has a healthy server take over what dead and stopped ones are at work on.
func (m *model) converge() {
	s := m.anyHealthy()
	if s == nil {
		return
	}
	for key, k := range m.keys {
		if k.record.State != reference.InProgress {
			continue
		}
		if slices.ContainsFunc(m.held, func(a *modelAttempt) bool { return a.owner == k.record.Owner && a.server.healthy() }) {
			continue
		}
		m.step(k, reference.Crash{Owner: k.record.Owner, Version: k.record.Version})
		m.resolve(key)
		m.eventually(s, key)
	}
}

func (m *model) eventually(s *modelServer, key string) {
	for end := time.Now().Add(deadline); ; time.Sleep(5 * time.Millisecond) {
		if m.state(s, key) == m.wantState(key) {
			return
		}
		if time.Now().After(end) {
			m.t.Fatalf("%s reads %q at %s, want %q", key, m.state(s, key), s.name, m.wantState(key))
		}
	}
}

func (m *model) state(s *modelServer, key string) string {
	got := m.ask(s, "GET", "/v1/operations/"+m.key(key), "")
	if got.status == 404 {
		return ""
	}
	return got.field("state")
}

func (m *model) wantState(key string) string {
	r := m.keys[key].record
	if end, ever := r.Expires(m.contract); r.State == reference.Released || r.State == reference.Expired || ever && !m.now().Before(end) {
		return ""
	}
	return string(r.State)
}

// compare looks at all that can be seen.
func (m *model) compare() {
	m.compared++
	for key := range m.keys {
		for i, s := range m.servers {
			if !s.healthy() {
				continue
			}
			if got, want := m.state(s, key), m.wantState(key); got != want {
				m.t.Fatalf("%s reads %q at %s, want %q", key, got, s.name, want)
			}
			if m.compared%len(m.servers) != i { // they take turns at the longer lists
				continue
			}
			for _, payload := range []string{"a", "b", refused} {
				title := m.title(key, payload)
				if got, want := strings.Count(m.ask(s, "GET", "/v1/tickets?title="+title, "").body, `"id":`), m.tickets[title]; got != want {
					m.t.Fatalf("%d tickets %s at %s, want %d", got, title, s.name, want)
				}
			}
		}
		for _, payload := range []string{"a", "b", refused} {
			if got, want := m.provider.bookings(m.title(key, payload)), m.bookings[m.title(key, payload)]; got != want {
				m.t.Fatalf("%d bookings of %s, want %d", got, m.title(key, payload), want)
			}
		}
	}
}

// seen does something that wakes a server, and returns when all that run have given a sign of life since: until then others may
// take what it begins for the work of one that is gone.
func (m *model) seen(wakes func()) {
	kept, err := m.place.open()
	if err != nil {
		m.t.Fatal(err)
	}
	defer m.place.close(kept)
	beats := func() map[string]int64 {
		members, err := kept.Members(context.Background())
		if err != nil {
			m.t.Fatal(err)
		}
		all := map[string]int64{}
		for _, member := range members {
			all[member.Name] = member.Beat
		}
		return all
	}
	healthy := func() (n int) {
		for _, s := range m.servers {
			if s.healthy() {
				n++
			}
		}
		return n
	}
	before := beats()
	wakes()
	for end := time.Now().Add(deadline); ; time.Sleep(5 * time.Millisecond) {
		signs := 0
		for name, beat := range beats() {
			if beat != before[name] {
				signs++
			}
		}
		if signs >= healthy() {
			return
		}
		if time.Now().After(end) {
			m.t.Fatal("a server that lives gives no sign of it")
		}
	}
}

// said is what the servers said last, for when something differs.
func (m *model) said() string {
	var all strings.Builder
	for _, s := range m.servers {
		text := s.host.said()
		fmt.Fprintf(&all, "%s: %s\n", s.name, text[max(0, len(text)-2000):])
	}
	return all.String()
}
