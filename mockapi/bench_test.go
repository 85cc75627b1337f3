package mockapi_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/oncespec/oncespec/mockapi"
	"github.com/oncespec/oncespec/mockapi/contract"
	"github.com/oncespec/oncespec/mockapi/store"
	"github.com/oncespec/oncespec/mockapi/store/storetest"
)

// bench is a served API on a store that outlives it, with a downstream.
type bench struct {
	t          *testing.T
	options    mockapi.Options
	reopen     func() store.Store // the store again, as after the death of the process
	downstream *downstream

	server *mockapi.Server
	http   *httptest.Server
	at     string          // the URL that requests go to
	link   *storetest.Link // to the database; may be nil
	hungUp chan struct{}   // gets one for each client that hung up before it was answered
	pieces chan struct{}   // gets one for the first pieces of requests' bodies, as they are read
}

// onEveryStore runs a test with a bench on each kind of store.
func onEveryStore(t *testing.T, test func(b *bench), change ...func(*mockapi.Options)) {
	t.Helper()
	var options mockapi.Options
	for _, c := range change {
		c(&options)
	}
	t.Run("memory", func(t *testing.T) {
		t.Parallel()
		kept := &store.Memory{}
		test(newBench(t, options, func() store.Store { return kept }))
	})
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		file := filepath.Join(t.TempDir(), "mock.db")
		test(newBench(t, options, func() store.Store { return openStore(t, file) }))
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		schema := storetest.Schema(t)
		test(newBench(t, options, func() store.Store { return openStore(t, schema) }))
	})
}

func openStore(t *testing.T, location string) store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), location)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func newBench(t *testing.T, options mockapi.Options, reopen func() store.Store) *bench {
	t.Helper()
	b := &bench{t: t, options: options, reopen: reopen, downstream: newDownstream(t)}
	if b.options.Contract.Name == "" {
		b.options.Contract = declared(t, contract.DefaultProfile)
	}
	b.options.Downstream = b.downstream.URL
	b.options.LookupTimeout = 5 * time.Second
	b.start()
	t.Cleanup(b.stop)
	return b
}

func declared(t *testing.T, profile string) contract.Contract {
	t.Helper()
	c, err := contract.Profile(profile)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func (b *bench) start() {
	b.t.Helper()
	b.options.Store = b.reopen()
	b.serve()
}

func (b *bench) serve() {
	b.t.Helper()
	server, err := mockapi.New(b.options)
	if err != nil {
		b.t.Fatal(err)
	}
	if err := server.Recover(b.t.Context()); err != nil {
		b.t.Fatal(err)
	}
	b.hungUp, b.pieces = make(chan struct{}, 1000), make(chan struct{}, 1)
	b.server, b.http = server, httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer context.AfterFunc(r.Context(), func() { b.hungUp <- struct{}{} })()
		r.Body = piecewise{r.Body, b.pieces}
		server.ServeHTTP(w, r)
	}))
	b.at = b.http.URL
}

// piecewise is a body that tells of what is read of it.
type piecewise struct {
	io.ReadCloser
	read chan<- struct{}
}

func (p piecewise) Read(into []byte) (int, error) {
	n, err := p.ReadCloser.Read(into)
	select {
	case p.read <- struct{}{}:
	default: // nobody asks
	}
	return n, err
}

// beside is one more server on the bench's store, as another process would be.
func (b *bench) beside(change func(*mockapi.Options)) *bench {
	b.t.Helper()
	other := &bench{t: b.t, options: b.options, downstream: b.downstream, reopen: b.reopen}
	other.options.Store = b.reopen()
	change(&other.options)
	other.serve()
	b.t.Cleanup(other.stop)
	return other
}

func (b *bench) stop() {
	b.downstream.set(func() { release(&b.downstream.hold); release(&b.downstream.holdLate) })
	b.server.Close()
	b.http.Close()
}

// restart abandons whatever runs, as a kill would, and starts again on the same store.
func (b *bench) restart() {
	b.t.Helper()
	b.server.Close()
	b.http.Close()
	b.start()
}

// answer is a whole answer.
type answer struct {
	status int
	header http.Header
	body   string
}

func (a answer) replayed() bool { return a.header.Get("Idempotent-Replayed") == "true" }

// code is the machine-readable code of problem details; "" where the answer is none.
func (a answer) code() string {
	var problem struct {
		Code   string
		Status int
	}
	if a.header.Get("Content-Type") != "application/problem+json" || json.Unmarshal([]byte(a.body), &problem) != nil || problem.Status != a.status {
		return ""
	}
	return problem.Code
}

func (a answer) field(name string) string {
	var fields map[string]any
	if json.Unmarshal([]byte(a.body), &fields) != nil {
		return ""
	}
	text, _ := fields[name].(string)
	return text
}

// send sends one request as acme; header fields come in pairs, "" as a value removes the field.
func (b *bench) send(method, path, body string, header ...string) answer {
	b.t.Helper()
	got, err := b.try(b.t.Context(), method, path, body, header...)
	if err != nil {
		b.t.Fatalf("%s %s: %v", method, path, err)
	}
	return got
}

func (b *bench) try(ctx context.Context, method, path, body string, header ...string) (answer, error) {
	request, err := http.NewRequestWithContext(ctx, method, b.at+path, strings.NewReader(body))
	if err != nil {
		return answer{}, err
	}
	request.GetBody = nil
	request.Header.Set("Authorization", "Bearer acme-token")
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(header); i += 2 {
		if header[i+1] == "" {
			request.Header.Del(header[i])
			continue
		}
		if header[i] == "Authorization" || header[i] == "Content-Type" {
			request.Header.Del(header[i])
		}
		request.Header.Add(header[i], header[i+1])
	}
	transport := &http.Transport{DisableKeepAlives: true} // on a reused connection net/http may send it again
	response, err := (&http.Client{Transport: transport}).Do(request)
	if err != nil {
		return answer{}, err
	}
	defer response.Body.Close()
	whole, err := io.ReadAll(response.Body)
	return answer{response.StatusCode, response.Header, string(whole)}, err
}

const keyHeader = "Idempotency-Key"

// create sends a new ticket under a key, with further members in JSON.
func (b *bench) create(key, title string, members ...string) answer {
	b.t.Helper()
	return b.send("POST", "/v1/tickets", ticket(title, members...), keyHeader, `"`+key+`"`)
}

func ticket(title string, members ...string) string {
	body := `{"project":"ops","title":"` + title + `"`
	for _, m := range members {
		body += "," + m
	}
	return body + "}"
}

// later sends a new ticket from a goroutine.
func (b *bench) later(key, title string) <-chan answer {
	got := make(chan answer, 1)
	go func() {
		a, err := b.try(context.Background(), "POST", "/v1/tickets", ticket(title), keyHeader, `"`+key+`"`)
		if err == nil {
			got <- a
		}
		close(got)
	}()
	return got
}

// tickets counts the tenant's tickets of a title.
func (b *bench) tickets(title string) int {
	b.t.Helper()
	var page struct{ Tickets []any }
	if err := json.Unmarshal([]byte(b.send("GET", "/v1/tickets?title="+title, "").body), &page); err != nil {
		b.t.Fatal(err)
	}
	return len(page.Tickets)
}

// state is what the status resource says of a key; the HTTP status where it says nothing.
func (b *bench) state(key string) string {
	b.t.Helper()
	got := b.send("GET", "/v1/operations/"+key, "")
	if got.status != http.StatusOK {
		return http.StatusText(got.status)
	}
	return got.field("state")
}

// expect checks an answer: its status, and the code of its problem ("" for none).
func (b *bench) expect(what string, got answer, status int, code string) {
	b.t.Helper()
	if got.status != status || got.code() != code {
		b.t.Errorf("%s: got %d %q, want %d %q: %.300s", what, got.status, got.code(), status, code, got.body)
	}
}

// expectOnce checks that a title was done once, here and downstream.
func (b *bench) expectOnce(title string) {
	b.t.Helper()
	if n := b.tickets(title); n != 1 {
		b.t.Errorf("%d tickets %s, want 1", n, title)
	}
	if n := b.downstream.booked(title); n != 1 {
		b.t.Errorf("%d bookings of %s, want 1", n, title)
	}
}

// eventually waits until a condition holds.
func (b *bench) eventually(what string, holds func() bool) {
	b.t.Helper()
	for end := time.Now().Add(deadline); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if holds() {
			return
		}
	}
	b.t.Errorf("it never came about that %s", what)
}
