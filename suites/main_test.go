package suites_test

import (
	"io"
	"os"
	"testing"

	"go.uber.org/goleak"

	"github.com/oncespec/oncespec/faults/leaktest"
	"github.com/oncespec/oncespec/faults/link/linktest"
	"github.com/oncespec/oncespec/mockapi"
	"github.com/oncespec/oncespec/mockapi/racy"
)

// asBurner as the first argument makes it burn a core until its standard input ends.
const asBurner = "burn-a-core"

// asMock as the first argument makes this test binary the mock: tests kill and restart it as a process of its own.
const asMock = "serve-the-mock"

// asRacy as the first argument makes it the known-racy server.
const asRacy = "serve-a-race"

// asToxiproxy makes it the Toxiproxy of somebody else's.
const asToxiproxy = "serve-toxiproxy"

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == asToxiproxy {
		linktest.Serve(os.Stdin, os.Stdout)
		return
	}
	if len(os.Args) > 1 && os.Args[1] == asRacy {
		os.Exit(racy.Main(os.Args[2:], os.Stderr))
	}
	if len(os.Args) > 1 && os.Args[1] == asMock {
		os.Exit(mockapi.Main(os.Args[3:], os.Stderr)) // what `oncespec mock` takes
	}
	if len(os.Args) > 1 && os.Args[1] == asBurner {
		go func() {
			_, _ = io.Copy(io.Discard, os.Stdin)
			os.Exit(0)
		}()
		for n := 0; ; n++ {
			_ = n
		}
	}
	leaktest.AtOnce(6)
	// Ginkgo's signal handler stays for the rest of the program.
	leaktest.Main(m, goleak.IgnoreAnyFunction("github.com/onsi/ginkgo/v2/internal/interrupt_handler.(*InterruptHandler).registerForInterrupts.func2"))
}
