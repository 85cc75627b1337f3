package suites_test

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
)

// misdeed is what a hostile target does with a request. It counts what it could send.
type misdeed func(w http.ResponseWriter, r *http.Request, sent *poured)

// poured counts what a server that sends without end could send, and in how many answers.
type poured struct{ answers, bytes atomic.Int64 }

// writes and reads say which requests it is done to.
func writes(r *http.Request) bool { return r.Method == http.MethodPost }
func reads(r *http.Request) bool  { return r.Method == http.MethodGet }

// page is one of a list of tickets.
func page(own []byte, next string, items ...string) string {
	if len(bytes.TrimSpace(own)) > 0 {
		items = append(items, string(own))
	}
	text := `{"tickets":[` + strings.Join(items, ",") + `]`
	if next != "" {
		text += fmt.Sprintf(`,"next":%q`, next)
	}
	return text + "}"
}

// counting is a host that counts what it receives.
type counting struct{ n atomic.Int64 }

func (c *counting) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	c.n.Add(1)
	w.WriteHeader(http.StatusCreated)
}

func silence(_ http.ResponseWriter, r *http.Request, _ *poured) {
	io.Copy(io.Discard, r.Body)
	<-r.Context().Done()
}

func hangUp(w http.ResponseWriter, _ *http.Request, _ *poured) {
	connection(w).Close()
}

func failing(w http.ResponseWriter, _ *http.Request, _ *poured) {
	http.Error(w, "boom", http.StatusInternalServerError)
}

func noJSON(w http.ResponseWriter, _ *http.Request, _ *poured) {
	w.Header().Set("Content-Type", "application/json")
	io.WriteString(w, "<html>it works</html>")
}

func redirect(to string) misdeed {
	return func(w http.ResponseWriter, r *http.Request, _ *poured) {
		http.Redirect(w, r, to+r.URL.Path, http.StatusTemporaryRedirect)
	}
}

func raw(answer string) misdeed {
	return func(w http.ResponseWriter, r *http.Request, _ *poured) {
		io.Copy(io.Discard, r.Body)
		conn := connection(w)
		defer conn.Close()
		io.WriteString(conn, answer)
	}
}

func headersForEver(w http.ResponseWriter, _ *http.Request, sent *poured) {
	pour(w, "HTTP/1.1 201 Created\r\n", "X-More: and more\r\n", sent)
}

func flood(head string) misdeed {
	return func(w http.ResponseWriter, _ *http.Request, sent *poured) {
		pour(w, head, strings.Repeat("x", 64<<10), sent)
	}
}

// pour sends 1 GB, as far as it is taken.
func pour(w http.ResponseWriter, head, more string, sent *poured) {
	conn := connection(w)
	defer conn.Close()
	io.WriteString(conn, head)
	sent.answers.Add(1)
	block := []byte(strings.Repeat(more, max(1, (64<<10)/len(more))))
	for total := 0; total < 1<<30; {
		n, err := conn.Write(block)
		total += n
		sent.bytes.Add(int64(n))
		if err != nil {
			return
		}
	}
}

// connection takes the connection away from the HTTP server.
func connection(w http.ResponseWriter) net.Conn {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(err)
	}
	return conn
}
