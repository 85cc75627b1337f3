package target

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/oncespec/oncespec/scenarios/history"
)

// recorder writes one history. Everything it is given is redacted already.
type recorder struct {
	now  func() int64  // microseconds since the run began
	name func() string // the history's id, asked for once, when it begins to be needed

	mu       sync.Mutex
	history  *history.History
	attempts int
	intents  int
}

// add appends an event, stamped with its place and time.
func (r *recorder) add(e history.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.identify()
	e.Seq, e.At = len(r.history.Events)+1, r.now()
	r.history.Events = append(r.history.Events, e)
}

func (r *recorder) identify() {
	if r.history.ID == "" {
		r.history.ID = r.name()
	}
}

// addIntent gives an intent its id and lists it, with its operation.
func (r *recorder) addIntent(in history.Intent) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.intents++
	in.ID = fmt.Sprintf("i%d", r.intents)
	r.history.Intents = append(r.history.Intents, in)
	if !slices.Contains(r.history.Operations, in.Operation) {
		r.history.Operations = append(r.history.Operations, in.Operation)
	}
	return in.ID
}

func (r *recorder) nextAttempt() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.attempts++
	return r.attempts
}

func (r *recorder) abort(why, blame string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.history.Aborted == "" {
		r.identify()
		r.history.Aborted, r.history.Blame = why, blame
	}
}

func (r *recorder) about(pair history.Rewrite) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.history.Rewrite = &pair
}

func (r *recorder) screens(list []history.Rewrite) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.history.Screen = list
}

func (r *recorder) setRung(rung string, power *history.Power) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.history.Rung, r.history.Power = rung, power
}

// worthKeeping tells whether anything was recorded.
func (r *recorder) worthKeeping() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.history.Events) > 0 || r.history.Aborted != ""
}

// names hands out ids: "lost-response.create-ticket", then "lost-response.create-ticket.2" …
type names struct {
	mu   sync.Mutex
	used map[string]int
}

func (n *names) next(scenario, operation string) string {
	stem := strings.ReplaceAll(scenario, "/", "-") + "." + fileName(operation)
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.used == nil {
		n.used = map[string]int{}
	}
	n.used[stem]++
	if i := n.used[stem]; i > 1 {
		return fmt.Sprintf("%s.%d", stem, i)
	}
	return stem
}

// fileName keeps an operation's name from leaving the folder of histories.
func fileName(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case '0' <= r && r <= '9', 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', r == '-', r == '_':
			return r
		}
		return '-'
	}, s)
}

// clock tells the time since the run began.
type clock struct{ began time.Time }

func (c clock) now() int64 { return c.at(time.Now()) }

// at converts a moment; the zero time is 0, "never".
func (c clock) at(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return max(1, t.Sub(c.began).Microseconds())
}
