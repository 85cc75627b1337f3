package main_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/oncespec/oncespec/faults/link/linktest"
	"github.com/oncespec/oncespec/mockapi"
)

// tickets is the file that a team would write for the ticket API at the URL.
func tickets(url string) string {
	return fmt.Sprintf(`
target:
  name: tickets
  url: %s
  tenants:
    acme: {default: true, headers: {Authorization: Bearer acme-token}}
contract: {profile: ietf-07}
operations:
  create-ticket:
    request: {method: POST, path: /v1/tickets, body: {project: ops, title: t, priority: high}}
    unique: [/title]
    effects:
      - http: {get: "/v1/tickets?title={body:/title}", items: "$.tickets[*]", id: $.id}
timeouts: {request: 3s, settle: 20ms, recovery: 500ms}
`, url)
}

// serve puts a handler in front of a correct ticket API; nil is none. It returns the path of the configuration.
func serve(t *testing.T, front func(api http.Handler) http.Handler) string {
	t.Helper()
	api, err := mockapi.New(mockapi.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { api.Close() })
	handler := http.Handler(api)
	if front != nil {
		handler = front(api)
	}
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return file(t, "oncespec.yaml", tickets(server.URL))
}

// always answers every request the same.
func always(status int, body string) func(http.Handler) http.Handler {
	return func(http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { http.Error(w, body, status) })
	}
}

// blind lets the list of tickets be read until so many writes have come, and not again. The steady state makes two.
func blind(writes int64) func(http.Handler) http.Handler {
	var seen atomic.Int64
	return func(api http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch {
			case r.Method == http.MethodPost:
				seen.Add(1)
			case seen.Load() > writes:
				http.Error(w, "the list is being rebuilt", http.StatusServiceUnavailable)
				return
			}
			api.ServeHTTP(w, r)
		})
	}
}

// shy shows no ticket that was asked for more than once: whether a retry made a second one cannot be seen.
func shy(api http.Handler) http.Handler {
	var mu sync.Mutex
	asked := map[string]int{}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			body, _ := io.ReadAll(r.Body)
			r.Body = io.NopCloser(bytes.NewReader(body))
			var ticket struct{ Title string }
			if json.Unmarshal(body, &ticket) == nil {
				mu.Lock()
				asked[ticket.Title]++
				mu.Unlock()
			}
		}
		mu.Lock()
		often := asked[r.URL.Query().Get("title")] > 1
		mu.Unlock()
		if often {
			http.Error(w, "not now", http.StatusServiceUnavailable)
			return
		}
		api.ServeHTTP(w, r)
	})
}

// never is the address of a server that takes connections and answers nothing.
func never(t *testing.T) string {
	t.Helper()
	return linktest.Listen(t, func(c net.Conn) { io.Copy(io.Discard, c) })
}
