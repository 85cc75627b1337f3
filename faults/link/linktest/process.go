package linktest

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/Shopify/toxiproxy/v2"
	toxiclient "github.com/Shopify/toxiproxy/v2/client"
	"github.com/rs/zerolog"
)

// Serve is all that a program does which is nothing but such a server: it says its URL, and ends with its input.
func Serve(in io.Reader, out io.Writer) {
	s := httptest.NewServer(toxiproxy.NewServer(toxiproxy.NewMetricsContainer(nil), zerolog.Nop()).Routes())
	defer s.Close()
	fmt.Fprintln(out, s.URL)
	_, _ = io.Copy(io.Discard, in)
}

// Process is one in a process of its own. What it loses is lost there: where a connection ends while it sends, and where a timeout
// is taken away, its first toxic waits for good for somebody who takes what it has. Our own links take all that it gives.
type Process struct{ URL string }

// StartProcess starts a program that serves, and ends it with the test.
func StartProcess(t testing.TB, command []string) Process {
	t.Helper()
	p := exec.Command(command[0], command[1:]...)
	p.Stderr = os.Stderr
	in, err := p.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := p.StdoutPipe()
	if err == nil {
		err = p.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		_ = p.Process.Kill() // its proxies may keep connections open
		_ = p.Wait()
	})
	said, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("the Toxiproxy said %q: %v", said, err)
	}
	return Process{strings.TrimSpace(said)}
}

// Proxies is how many it has.
func (p Process) Proxies(t testing.TB) int {
	t.Helper()
	defer http.DefaultClient.CloseIdleConnections() // the client keeps them there
	there, err := toxiclient.NewClient(p.URL).Proxies()
	if err != nil {
		t.Fatal(err)
	}
	return len(there)
}
