package link_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/oncespec/oncespec/faults/link"
)

// The server does its work and answers, but the answer never arrives.
func ExampleLinks_Open() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, "done")
	}))
	defer server.Close()
	links := link.New()
	defer links.Close()

	wire, err := links.Open(context.Background(),
		link.Upstream{Addr: strings.TrimPrefix(server.URL, "http://")}, link.Plan{DropResponse: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = http.Post("http://"+wire.Addr, "text/plain", strings.NewReader("work"))
	wire.Close()

	proof := wire.Proof()
	fmt.Println("lost:", err != nil)
	fmt.Println("answered:", proof.ResponseBytes > 0, "forwarded:", proof.ResponseForwarded, "cut:", proof.ResponseCut)
	// Output:
	// lost: true
	// answered: true forwarded: 0 cut: true
}
