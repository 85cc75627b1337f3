package target

import (
	"slices"
	"strings"
	"sync"

	"github.com/oncespec/oncespec/mockapi/provider"
	"github.com/oncespec/oncespec/scenarios/history"
)

// shortestToken is the least length of an id to search for: one such as "12" would be found in everything.
const shortestToken = 12

// trace finds the downstream calls of an intent and its twins: by what is unique to it, and by the downstream keys of calls
// found so. A lookup carries nothing but such a key.
type trace struct {
	tag    string
	marked bool   // its calls carry a marker, which begins with the tag
	keys   tokens // anywhere in a call
	sent   tokens // downstream keys that its calls carried

	mu   sync.Mutex
	done map[string]string // by intent whose effect an answer promised: its tenant
	wide map[string]bool   // probes that showed a tenant more than its own
}

// promise notes that an intent was answered with a success.
func (t *trace) promise(intent, tenant string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.done == nil {
		t.done = map[string]string{}
	}
	t.done[intent] = tenant
}

// promised is how many effects the answers promise, to everybody and to one tenant.
func (t *trace) promised(tenant string) (all, own int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, whose := range t.done {
		if whose == tenant {
			own++
		}
	}
	return len(t.done), own
}

// open tells whether a probe is known to show a tenant effects that belong to its twins of other tenants. more says that the
// reading just taken does.
func (t *trace) open(probe string, more bool) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if more && t.wide == nil {
		t.wide = map[string]bool{}
	}
	if more {
		t.wide[probe] = true
	}
	return t.wide[probe]
}

type tokens struct {
	mu   sync.Mutex
	list []string
}

func (k *tokens) add(token string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if token != "" && !slices.Contains(k.list, token) {
		k.list = append(k.list, token)
	}
}

func (k *tokens) all() []string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.Clone(k.list)
}

// newTrace searches for the intent's markers where it has any, else for the ids of its parent, else for its key. The key is
// never used beside the others, since an intent of another tenant may have the same one.
func newTrace(in *Intent, tag string) *trace {
	t := &trace{tag: tag}
	for _, m := range in.Markers {
		t.look(m)
		t.marked = t.marked || strings.HasPrefix(m, tag)
	}
	for _, id := range in.parentIDs() {
		if len(in.Markers) == 0 {
			t.look(id)
		}
	}
	if len(t.keys.all()) == 0 {
		t.look(in.Key)
	}
	return t
}

// look adds what a call is found by.
func (t *trace) look(token string) {
	if len(token) >= shortestToken {
		t.keys.add(token)
	}
}

// match picks the intent's calls.
func (t *trace) match() provider.Match {
	mine := provider.ContainsAny(t.keys.all()...)
	return func(c provider.Call) bool {
		if mine(c) {
			t.sent.add(c.Key)
			return true
		}
		byKey := c.Key != "" && slices.Contains(t.sent.all(), c.Key)
		return byKey && (c.Lookup || t.marked && !t.somebodyElses(c))
	}
}

// calls lists the gate's calls of the intent and its twins. It searches again whenever it learned a downstream key, since
// calls that carry only that key belong to the intent too.
func (t *trace) calls(gate *provider.Gate) []provider.Call {
	for {
		sent := t.sent.all()
		found := gate.CallsWith(slices.Concat(t.keys.all(), sent), t.match())
		if len(t.sent.all()) == len(sent) {
			return found
		}
	}
}

// somebodyElses tells whether a call carries a marker of this run, which is then another intent's.
func (t *trace) somebodyElses(c provider.Call) bool {
	return strings.Contains(string(c.Body), t.tag) || strings.Contains(c.Path, t.tag) || strings.Contains(c.Query, t.tag)
}

// calls lists the intent's calls so far.
func (t *Target) calls(in *Intent) []history.Call {
	var calls []history.Call
	for _, c := range in.state.trace.calls(t.gate) {
		calls = append(calls, history.Call{
			Seq: c.Seq, At: t.clock.at(c.At), Method: c.Method, Path: t.redact.target(c.Path), Key: t.redact.text(c.Key),
			Booked: c.Booked, Repeat: c.Repeat, Lookup: c.Lookup, Status: c.Status, Refused: c.Refused,
		})
	}
	return calls
}

// booked is how often the same thing was booked: a provider may be called for several things in one operation, but for each
// of them once.
func booked(calls []history.Call) (most int) {
	things := map[string]int{}
	for _, c := range calls {
		if c.Booked {
			things[c.Method+" "+c.Path]++
			most = max(most, things[c.Method+" "+c.Path])
		}
	}
	return most
}
