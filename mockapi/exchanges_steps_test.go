package mockapi_test

import (
	"fmt"
	"net"
	"net/http"
	"strings"

	"github.com/google/uuid"
)

// moment is how many round trips something gets to come about that may never do: on a busy machine they take longer, as it does.
const moment = 100

// open sends a new ticket but for the last bytes, which it returns.
func open(b *bench, key, title string, last int) (connection net.Conn, rest []byte) {
	b.t.Helper()
	body := ticket(title)
	request := fmt.Sprintf("POST /v1/tickets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer acme-token\r\nContent-Type: application/json\r\n%s: %q\r\nContent-Length: %d\r\n\r\n%s",
		keyHeader, key, len(body), body)
	connection, err := net.Dial("tcp", b.http.Listener.Addr().String())
	if err != nil {
		b.t.Fatal(err)
	}
	now, later := request[:len(request)-last], request[len(request)-last:]
	if _, err := connection.Write([]byte(now)); err != nil {
		b.t.Fatal(err)
	}
	return connection, []byte(later)
}

// meets sends a ticket under k1 while that key's first request is held, and returns once it was answered, or is held as well
// because it executes.
func meets(b *bench, title string) <-chan answer {
	got := make(chan answer, 1)
	sent := b.later("k1", title)
	answered := make(chan struct{})
	go func() {
		got <- <-sent
		close(answered)
	}()
	select {
	case <-answered:
	case <-b.downstream.arrived:
	}
	return got
}

func brief(a answer) string {
	if a.replayed() {
		return fmt.Sprint(a.status, " replay")
	}
	return fmt.Sprint(a.status)
}

// same sends a ticket with two details under one key, and tells whether the second is taken for the first.
func same(b *bench, one, two string, header ...string) string {
	key := uuid.NewString()
	b.create(key, key, `"details":`+one)
	got := b.send("POST", "/v1/tickets", ticket(key, `"details":`+two), append([]string{keyHeader, `"` + key + `"`}, header...)...)
	return taken(got)
}

func sameQuery(b *bench) string {
	key := uuid.NewString()
	b.send("POST", "/v1/tickets?notify=owner", ticket(key), keyHeader, `"`+key+`"`)
	return taken(b.create(key, key))
}

// sameChunked sends the same ticket again without Content-Length.
func sameChunked(b *bench) string {
	key := uuid.NewString()
	b.create(key, key)
	request, err := http.NewRequestWithContext(b.t.Context(), "POST", b.http.URL+"/v1/tickets", struct{ *strings.Reader }{strings.NewReader(ticket(key))})
	if err != nil {
		b.t.Fatal(err)
	}
	request.Header = http.Header{"Authorization": {"Bearer acme-token"}, "Content-Type": {"application/json"}, keyHeader: {`"` + key + `"`}}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		b.t.Fatal(err)
	}
	defer response.Body.Close()
	return taken(answer{status: response.StatusCode, header: response.Header})
}

func taken(a answer) string {
	switch {
	case a.replayed():
		return "replay"
	case a.status == http.StatusUnprocessableEntity:
		return "no"
	}
	return fmt.Sprint(a.status)
}
