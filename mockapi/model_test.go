package mockapi_test

import (
	"context"
	"flag"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/oncespec/oncespec/mockapi/contract"
	"github.com/oncespec/oncespec/mockapi/reference"
	"github.com/oncespec/oncespec/mockapi/store/storetest"
)

var modelSteps = flag.Int("model-steps", 40, "least steps of the model test on each store")

// TestModel drives two servers on one store over HTTP, as clients, time and misfortune do, and compares all that can be seen with
// what reference.Step makes of it. A difference is made small before it is shown. Where the store outlives its process each server
// is one, killed, stopped and continued by signals; in memory both are one process, and its end is that of all it knew.
//
//	go test ./mockapi -run 'TestModel$' -model-steps 10000 -timeout 60m
func TestModel(t *testing.T) {
	t.Parallel()
	const eachCheck = 60 // about how many steps rapid takes in one
	checks := max(2, *modelSteps/eachCheck)
	if testing.Short() {
		checks *= 5 // rapid takes a fifth then, and none of less
	}
	for name, value := range map[string]int{"rapid.checks": checks, "rapid.steps": eachCheck} { // no other test of this package uses rapid
		if err := flag.Set(name, fmt.Sprint(value)); err != nil {
			t.Fatal(err)
		}
	}
	for name, fresh := range map[string]func(*testing.T) func() modelPlace{
		"memory": func(*testing.T) func() modelPlace {
			return func() modelPlace { return &modelMemory{} }
		},
		"sqlite": func(t *testing.T) func() modelPlace {
			folder, n := t.TempDir(), 0
			return func() modelPlace {
				n++
				return modelDatabase{filepath.Join(folder, fmt.Sprintf("%d.db", n))}
			}
		},
		"postgres": func(t *testing.T) func() modelPlace {
			schema := storetest.Schema(t)
			// What one trial leaves is none of the next one's business, as its keys are its own.
			return func() modelPlace { return modelDatabase{schema} }
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			place := fresh(t)
			var steps atomic.Int64
			trial := 0
			for done := false; !done; done = t.Failed() || int(steps.Load()) >= *modelSteps {
				rapid.Check(t, func(rt *rapid.T) {
					trial++
					playModel(rt, place(), trial, &steps)
				})
			}
			t.Logf("%d steps in %d trials, 0 differences", steps.Load(), trial)
		})
	}
}

// model is what the world should look like.
type model struct {
	t        *rapid.T
	trial    int
	place    modelPlace
	contract contract.Contract
	provider *modelProvider
	servers  [2]*modelServer
	offset   time.Duration
	keys     map[string]*modelKey
	lives    map[string]*modelLife // by downstream key
	tickets  map[string]int        // by title
	bookings map[string]int
	muted    map[string]bool
	held     []*modelAttempt
	owners   int
	compared int
	client   http.Client // for questions
}

type modelKey struct {
	record  reference.Record
	payload string // of the record
	body    string // of its answer
	life    *modelLife
}

// modelLife is one lifetime of a key, as the provider knows it: by its downstream key.
type modelLife struct {
	title  string // of what was booked, or of the last call
	booked bool
}

// modelAttempt is a request whose call to the provider is held.
type modelAttempt struct {
	key, payload, owner string
	version             int64
	server              *modelServer
	life                *modelLife
	call                heldCall
	late                bool
	answered            chan answer
}

const refused = "closed" // the payload that the business refuses

func playModel(t *rapid.T, place modelPlace, trial int, steps *atomic.Int64) {
	promised, err := contract.Profile(contract.DefaultProfile)
	if err != nil {
		t.Fatal(err)
	}
	promised.Lifetime = time.Hour
	promised.Expired.Action = rapid.SampledFrom(contract.Allowed("expired.action")).Draw(t, "after the lifetime")
	m := &model{t: t, trial: trial, place: place, contract: promised, provider: newModelProvider(), keys: map[string]*modelKey{},
		lives: map[string]*modelLife{}, tickets: map[string]int{}, bookings: map[string]int{}, muted: map[string]bool{}}
	defer m.provider.Close()
	m.client.Transport = &http.Transport{}
	defer m.client.CloseIdleConnections()
	for i := range m.servers {
		m.servers[i] = &modelServer{name: string(rune('A' + i)), host: place.host(modelPromise{promised, m.provider.URL})}
		defer m.servers[i].kill()
		m.servers[i].start(t)
	}
	for _, key := range []string{"k1", "k2"} {
		m.keys[key] = &modelKey{}
	}
	m.offset = m.clock() // what earlier trials on the same database left
	t.Repeat(map[string]func(*rapid.T){
		"":        func(*rapid.T) { steps.Add(1); m.compare() },
		"send":    m.send,
		"retry":   m.retry,
		"change":  m.change,
		"release": m.release,
		"kill":    m.kill,
		"start":   m.start,
		"pause":   m.pause,
		"resume":  m.resume,
		"advance": m.advance,
	})
}

func (m *model) now() time.Time { return time.Now().Add(m.offset) }

func (m *model) owner() string {
	m.owners++
	return fmt.Sprint("o", m.owners)
}

func (m *model) title(key, payload string) string {
	return fmt.Sprintf("%d-%s-%s", m.trial, key, payload)
}

func (m *model) bench(s *modelServer) *bench { return &bench{at: s.url} }

// ask sends what may be sent twice.
func (m *model) ask(s *modelServer, method, path, body string) answer {
	got, err := m.reader(s.url+path, method, body)
	if err != nil {
		m.t.Fatalf("%s %s at %s: %v", method, path, s.name, err)
	}
	return got
}

func (m *model) reader(at, method, body string) (answer, error) {
	request, err := http.NewRequestWithContext(context.Background(), method, at, strings.NewReader(body))
	if err != nil {
		return answer{}, err
	}
	request.Header.Set("Authorization", "Bearer acme-token")
	response, err := m.client.Do(request)
	if err != nil {
		return answer{}, err
	}
	defer response.Body.Close()
	whole, err := io.ReadAll(response.Body)
	return answer{response.StatusCode, response.Header, string(whole)}, err
}

func (m *model) anyHealthy() *modelServer {
	for _, s := range m.servers {
		if s.healthy() {
			return s
		}
	}
	return nil
}

func (m *model) drawHealthy() *modelServer {
	var healthy []*modelServer
	for _, s := range m.servers {
		if s.healthy() {
			healthy = append(healthy, s)
		}
	}
	if len(healthy) == 0 {
		m.t.Skip()
	}
	return healthy[rapid.IntRange(0, len(healthy)-1).Draw(m.t, "server")]
}

func (m *model) step(k *modelKey, e reference.Event) (decision reference.Decision) {
	k.record, decision = reference.Step(m.contract, k.record, e, m.now())
	return decision
}

// send sends a request with any key.
func (m *model) send(t *rapid.T) {
	key := rapid.SampledFrom([]string{"k1", "k2"}).Draw(t, "key")
	m.request(t, key, rapid.SampledFrom([]string{"a", "a", "a", "b", refused}).Draw(t, "payload"))
}

// retry sends a request again.
func (m *model) retry(t *rapid.T) {
	key := rapid.SampledFrom([]string{"k1", "k2"}).Draw(t, "key")
	if m.keys[key].payload == "" {
		t.Skip()
	}
	m.request(t, key, m.keys[key].payload)
}

// change sends another payload under a used key.
func (m *model) change(t *rapid.T) {
	key := rapid.SampledFrom([]string{"k1", "k2"}).Draw(t, "key")
	payload := rapid.SampledFrom([]string{"a", "b", refused}).Draw(t, "payload")
	if used := m.keys[key].payload; used == "" || used == payload {
		t.Skip()
	}
	m.request(t, key, payload)
}

// request sends a request, and compares what comes of it.
func (m *model) request(t *rapid.T, key, payload string) {
	s := m.drawHealthy()
	does := rapid.SampledFrom([]mode{takes, refuses, drops, loses, holds, holdsLate}).Draw(t, "provider")
	muted := rapid.Bool().Draw(t, "muted")
	if k, title := m.keys[key], m.title(key, payload); k.payload != payload && k.life != nil && k.life.title == title {
		muted = m.muted[title] // what another payload waits for is not found out by the way
	}
	m.set(key, payload, does, muted)
	answered := make(chan answer, 1)
	go func() {
		got, err := m.bench(s).try(context.Background(), "POST", "/v1/tickets", m.ticket(key, payload), keyHeader, `"`+m.key(key)+`"`)
		if err != nil {
			got = answer{status: -1, body: err.Error()}
		}
		answered <- got
	}()
	m.follow(s, key, payload, does, answered)
}

func (m *model) key(key string) string { return fmt.Sprintf("%d-%s", m.trial, key) }

func (m *model) set(key, payload string, does mode, muted bool) {
	title := m.title(key, payload)
	m.muted[title] = muted
	m.provider.set(title, does, muted)
}

func (m *model) ticket(key, payload string) string {
	project := "ops"
	if payload == refused {
		project = "closed"
	}
	return fmt.Sprintf(`{"project":%q,"title":%q}`, project, m.title(key, payload))
}

// release lets a held call go on.
func (m *model) release(t *rapid.T) {
	healthy := slices.DeleteFunc(slices.Clone(m.held), func(a *modelAttempt) bool { return !a.server.healthy() })
	if len(healthy) == 0 {
		t.Skip()
	}
	a := healthy[rapid.IntRange(0, len(healthy)-1).Draw(t, "held call")]
	m.held = slices.DeleteFunc(m.held, func(other *modelAttempt) bool { return other == a })
	m.set(a.key, a.payload, takes, m.muted[m.title(a.key, a.payload)])
	m.book(a.key, a.payload, a.life)
	k := m.keys[a.key]
	close(a.call.goOn)
	if k.record.Owner == a.owner && k.record.Version == a.version && k.record.State == reference.InProgress {
		m.settle(a.key, a.payload, takes, a.answered)
		return
	}
	m.follow(a.server, a.key, a.payload, takes, a.answered) // it was replaced
}

func (m *model) kill(t *rapid.T) {
	s := m.servers[rapid.IntRange(0, 1).Draw(t, "server")]
	if s.url == "" {
		t.Skip()
	}
	dead := []*modelServer{s}
	if m.place.forgets() {
		dead = m.servers[:]
	}
	for _, s := range dead {
		s.kill()
	}
	died := func(a *modelAttempt) bool { return slices.Contains(dead, a.server) }
	for _, a := range m.held {
		if died(a) {
			<-a.answered // the connection ended
		}
	}
	m.held = slices.DeleteFunc(m.held, died)
	if m.place.forgets() {
		m.forget()
	}
	m.converge()
}

// forget is the end of all that the servers knew. What was booked stays booked: the provider is somebody else.
func (m *model) forget() {
	for _, k := range m.keys {
		*k = modelKey{}
	}
	m.tickets, m.offset = map[string]int{}, 0
}

func (m *model) start(t *rapid.T) {
	for _, s := range m.servers {
		if s.url == "" {
			s.start(t)
			m.converge()
			return
		}
	}
	t.Skip()
}

func (m *model) pause(t *rapid.T) {
	s := m.drawHealthy()
	if rapid.IntRange(0, 2).Draw(t, "seldom") > 0 { // each takes a lease
		t.Skip()
	}
	s.pause(t)
	m.converge()
}

func (m *model) resume(t *rapid.T) {
	for _, s := range m.servers {
		if s.paused {
			m.seen(func() { s.resume(t) })
			m.converge()
			return
		}
	}
	t.Skip()
}

func (m *model) advance(t *rapid.T) {
	s := m.drawHealthy()
	by := time.Duration(rapid.SampledFrom([]int{0, 7, 28, 63}).Draw(t, "minutes")) * time.Minute // never at the edge of an hour
	m.want("clock", m.ask(s, "POST", "/clock", fmt.Sprintf(`{"advance":%q}`, by)), 204, "", false)
	m.offset += by
}

// clock is how far the clock of the store was moved.
func (m *model) clock() time.Duration {
	offset, err := time.ParseDuration(m.ask(m.servers[0], "GET", "/clock", "").field("offset"))
	if err != nil {
		m.t.Fatal(err)
	}
	return offset
}
