package runtest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/oncespec/oncespec/mockapi/fingerprint"
)

// API makes things, each once, under a key. The zero value refuses duplicates in flight and calls downstream before it makes
// the thing; the fields say what it does in another way, rightly or wrongly. All methods may be used at once.
type API struct {
	Downstream string        // base URL, set by Verdicts
	Recovery   time.Duration // timeouts.recovery of its configuration; 0: 2 s

	// Right in another way.
	Waits    bool          // duplicates in flight wait for the result
	Lag      time.Duration // things show in the list only after this
	Async    bool          // answers 202 and then works
	CallsEnd bool          // makes the thing and answers; the call downstream follows until it succeeds
	Bare     bool          // refuses every duplicate with 410, and promises no more
	Keeps    bool          // failures are answered again
	Lease    time.Duration // after a failure the key stays in flight for this long
	Drowns   bool          // where many come at once all are told to wait, and it is carried out only once the list was asked for its thing
	Private  bool          // the list shows a caller what it made itself, and nothing else
	InBody   bool          // the key is the body's request_id; whatever the header says does not count
	Meaning  bool          // payloads are compared by what they mean, and refusals are problem details

	// Wrong.
	Hook func(a *API, w http.ResponseWriter, r *http.Request, body []byte) (done bool) // comes before everything else

	mu      sync.Mutex
	records map[string]*record
	unknown map[string]bool // keys of operations that may have been carried out
	posts   int             // that are being answered
	drowned map[string]func()
	things  []thing
	work    sync.WaitGroup
}

type record struct {
	body   string
	done   chan struct{} // closed when status and answer are there
	status int
	answer []byte
}

type thing struct {
	ID      string `json:"id"`
	Title   string `json:"title"`
	visible time.Time
}

// ServeHTTP makes API a handler.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.Method == http.MethodGet && r.URL.Path == "/things":
		a.list(w, r)
	case r.Method == http.MethodGet && strings.HasPrefix(r.URL.Path, "/states/"):
		r.Header.Set("Idempotency-Key", strings.TrimPrefix(r.URL.Path, "/states/"))
		a.state(w, r)
	case r.Method == http.MethodPost && r.URL.Path == "/things":
		body, err := io.ReadAll(r.Body)
		if a.Hook != nil && a.Hook(a, w, r, body) {
			return
		}
		if err != nil {
			return // the rest never came
		}
		a.post(w, r, body)
	default:
		http.NotFound(w, r)
	}
}

func (a *API) post(w http.ResponseWriter, r *http.Request, body []byte) {
	if a.InBody {
		var wanted struct {
			Key string `json:"request_id"`
		}
		_ = json.Unmarshal(body, &wanted) // none is refused below
		r.Header.Set("Idempotency-Key", wanted.Key)
	}
	key, mayNot := a.key(r)
	var wanted thing
	if mayNot {
		a.say(w, 401, "who is it?")
		return
	}
	if key == "" || json.Unmarshal(body, &wanted) != nil || wanted.Title == "" {
		a.say(w, 400, "bad request")
		return
	}
	payload := a.payload(body)
	defer a.count()()
	mine, rec := a.claim(key, payload)
	switch {
	case mine && a.drown(key, wanted.Title, rec):
		a.say(w, 409, "in progress")
		return
	case mine && a.Async:
		a.work.Go(func() { a.carryOut(context.Background(), key, wanted.Title, rec) })
		write(w, rec)
		return
	case mine:
		a.carryOut(context.WithoutCancel(r.Context()), key, wanted.Title, rec)
	case rec.body != payload:
		a.say(w, 422, "the key belongs to another request")
		return
	case a.Bare && rec.state() != "running":
		a.say(w, 410, "done already")
		return
	case a.Async:
		write(w, rec)
		return
	case a.Waits:
		<-rec.done
	default:
		select {
		case <-rec.done:
		default:
			w.Header().Set("Retry-After", "0")
			a.say(w, 409, "in progress")
			return
		}
	}
	write(w, rec)
}

// count counts a request until done is called.
func (a *API) count() (done func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.posts++
	return func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.posts--
	}
}

// drown puts an operation off, where it is one of many, until the list is asked for its thing.
func (a *API) drown(key, title string, rec *record) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.Drowns || a.posts < 2 {
		return false
	}
	if a.drowned == nil {
		a.drowned = map[string]func(){}
	}
	a.drowned[title] = func() { a.carryOut(context.Background(), key, title, rec) }
	return true
}

// save carries out what drowned.
func (a *API) save(title string) {
	a.mu.Lock()
	goOn := a.drowned[title]
	delete(a.drowned, title)
	a.mu.Unlock()
	if goOn != nil {
		goOn()
	}
}

// key is what the caller calls the operation, made its own; empty where it does not. Nobody shares a caller's keys.
func (a *API) key(r *http.Request) (key string, mayNot bool) {
	who := caller(r)
	key = strings.Trim(r.Header.Get("Idempotency-Key"), `"`)
	if key != "" {
		key = who + "-" + key
	}
	return key, who == ""
}

// caller is the principal, by the first word of the token; the rest of it is a secret.
func caller(r *http.Request) string {
	token, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	who, _, _ := strings.Cut(token, "-")
	return who
}

// payload is what has to be the same in a retry.
func (a *API) payload(body []byte) string {
	if canonical, err := fingerprint.Canonical(body); a.Meaning && err == nil {
		return string(canonical)
	}
	return string(body)
}

// claim returns the key's record, and whether the caller is the first.
func (a *API) claim(key, body string) (mine bool, rec *record) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.records == nil {
		a.records = map[string]*record{}
	}
	if rec := a.records[key]; rec != nil {
		return false, rec
	}
	rec = &record{body: body, done: make(chan struct{})}
	if a.Async {
		rec.status, rec.answer = 202, fmt.Appendf(nil, `{"id":%q}`, "thing-"+key)
	}
	a.records[key] = rec
	return true, rec
}

// carryOut calls downstream and makes the thing. A failed call leaves the key free, unless failures are kept.
func (a *API) carryOut(ctx context.Context, key, title string, rec *record) {
	defer close(rec.done)
	id := "thing-" + key
	if a.CallsEnd {
		a.Make(id, title)
		a.work.Go(func() {
			for a.Call(ctx, key, title) != nil {
				time.Sleep(20 * time.Millisecond)
			}
		})
	} else if err := a.Call(ctx, key, title); err != nil {
		if a.Async {
			a.again(ctx, key, title, id)
			return
		}
		rec.status, rec.answer = 502, []byte(`{"error":"downstream"}`)
		if refused := errors.Is(err, errRefused); !refused || !a.Keeps {
			a.free(key, refused)
		}
		return
	} else {
		a.Make(id, title)
	}
	if !a.Async {
		rec.status, rec.answer = 201, fmt.Appendf(nil, `{"id":%q,"title":%q}`, id, title)
	}
}

// again goes on until downstream takes it: nobody is told of failures.
func (a *API) again(ctx context.Context, key, title, id string) {
	for a.Call(ctx, key, title) != nil {
		time.Sleep(20 * time.Millisecond)
	}
	a.Make(id, title)
}

// free forgets a key, at once or when its lease has ended: the next attempt carries it out, downstream under the same key.
func (a *API) free(key string, nothingDone bool) {
	forget := func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		delete(a.records, key)
		if !nothingDone {
			if a.unknown == nil {
				a.unknown = map[string]bool{}
			}
			a.unknown[key] = true
		}
	}
	if a.Lease == 0 {
		forget()
		return
	}
	a.mu.Lock()
	a.records[key] = &record{body: a.records[key].body, done: make(chan struct{})}
	a.mu.Unlock()
	time.AfterFunc(a.Lease, forget)
}

// Make adds a thing to the list.
func (a *API) Make(id, title string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.things = append(a.things, thing{ID: id, Title: title, visible: time.Now().Add(a.Lag)})
}

var errRefused = errors.New("downstream refused")

// Call books downstream under a key made of the caller's.
func (a *API) Call(ctx context.Context, key, title string) error {
	if a.Downstream == "" {
		return nil
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, a.Downstream+"/book", bytes.NewReader(fmt.Appendf(nil, `{"title":%q}`, title)))
	if err != nil {
		return err
	}
	r.Header.Set("Idempotency-Key", "book-"+key)
	r.GetBody = nil
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode > 299 {
		return errRefused
	}
	return nil
}

func (a *API) list(w http.ResponseWriter, r *http.Request) {
	title, who := r.URL.Query().Get("title"), caller(r)
	defer a.save(title)
	a.mu.Lock()
	defer a.mu.Unlock()
	found := []thing{}
	for _, t := range a.things {
		if t.Title == title && !time.Now().Before(t.visible) && (!a.Private || strings.HasPrefix(t.ID, "thing-"+who+"-")) {
			found = append(found, t)
		}
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"things": found})
}

func (a *API) state(w http.ResponseWriter, r *http.Request) {
	key, _ := a.key(r)
	a.mu.Lock()
	rec, state := a.records[key], "unknown"
	known := rec != nil || a.unknown[key]
	a.mu.Unlock()
	if !known {
		http.NotFound(w, r)
		return
	}
	if rec != nil {
		state = rec.state()
	}
	fmt.Fprintf(w, `{"state":%q,"result":%q}`, state, "thing-"+key)
}

func (r *record) state() string {
	select {
	case <-r.done:
		if r.status > 299 {
			return "failed"
		}
		return "done"
	default:
		return "running"
	}
}

func (a *API) say(w http.ResponseWriter, status int, why string) {
	kind, text := "application/json", fmt.Sprintf(`{"error":%q}`, why)
	if a.Meaning {
		kind, text = "application/problem+json", fmt.Sprintf(`{"title":%q,"status":%d}`, why, status)
	}
	w.Header().Set("Content-Type", kind)
	w.WriteHeader(status)
	_, _ = io.WriteString(w, text)
}

func write(w http.ResponseWriter, rec *record) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(rec.status)
	_, _ = w.Write(rec.answer)
}
