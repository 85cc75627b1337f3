package suites_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"sync"
)

// zeroWork is an idempotent API that does as good as nothing: two maps, and no waiting.
type zeroWork struct {
	mu      sync.Mutex
	records map[string]*record // by principal, route and key
	items   map[string][]item  // by title
	last    int
}

type record struct {
	body, answer []byte
	location     string
	status       int
}

type item struct {
	ID    string `json:"id"`
	Title string `json:"title"`
}

// forget begins anew, so that the same requests are answered in the same way.
func (z *zeroWork) forget() {
	z.mu.Lock()
	defer z.mu.Unlock()
	z.records, z.items, z.last = map[string]*record{}, map[string][]item{}, 0
}

func (z *zeroWork) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	who, key := r.Header.Get("Authorization"), r.Header.Get("Idempotency-Key")
	if who == "" {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	z.mu.Lock()
	defer z.mu.Unlock()
	if r.Method == http.MethodGet {
		_ = json.NewEncoder(w).Encode(map[string]any{"items": z.items[r.URL.Query().Get("title")]})
		return
	}
	body, _ := io.ReadAll(r.Body)
	scoped := who + " " + r.URL.Path + " " + key
	done := z.records[scoped]
	switch {
	case key == "":
		w.WriteHeader(http.StatusBadRequest)
		return
	case done == nil:
		done = z.do(r.URL.Path, body)
		z.records[scoped] = done
	case !bytes.Equal(done.body, body):
		w.WriteHeader(http.StatusUnprocessableEntity)
		return
	default:
		w.Header().Set("Idempotent-Replayed", "true")
	}
	if done.location != "" {
		w.Header().Set("Location", done.location)
	}
	w.WriteHeader(done.status)
	_, _ = w.Write(done.answer)
}

// do executes a write.
func (z *zeroWork) do(path string, body []byte) *record {
	if path != "/v1/items" && path != "/v1/stamps" { // an item is closed
		return &record{body: body, status: http.StatusNoContent}
	}
	var it item
	_ = json.Unmarshal(body, &it)
	z.last++
	it.ID = fmt.Sprint(z.last)
	z.items[it.Title] = append(z.items[it.Title], it)
	if path == "/v1/stamps" {
		return &record{body: body, status: http.StatusNoContent}
	}
	answer, _ := json.Marshal(it)
	return &record{body: body, answer: answer, status: http.StatusCreated, location: path + "/" + it.ID}
}

// taped is one request that reached the target, and how long its answer was.
type taped struct {
	method, uri string
	header      http.Header
	body        []byte
	status      int
	answered    int64
}

// tape keeps what reaches a handler, whoever sends it.
type tape struct {
	next http.Handler

	mu   sync.Mutex
	sent []taped
}

// take hands over what was kept.
func (t *tape) take() []taped {
	t.mu.Lock()
	defer t.mu.Unlock()
	sent := t.sent
	t.sent = nil
	return sent
}

func (t *tape) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(body))
	kept := taped{method: r.Method, uri: r.RequestURI, header: r.Header.Clone(), body: body}
	t.next.ServeHTTP(&gauge{w, &kept}, r)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.sent = append(t.sent, kept)
}

// gauge measures an answer.
type gauge struct {
	http.ResponseWriter
	of *taped
}

func (g *gauge) WriteHeader(status int) {
	g.of.status = status
	g.ResponseWriter.WriteHeader(status)
}

func (g *gauge) Write(p []byte) (int, error) {
	if g.of.status == 0 {
		g.of.status = http.StatusOK
	}
	n, err := g.ResponseWriter.Write(p)
	g.of.answered += int64(n)
	return n, err
}
