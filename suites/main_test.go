package suites_test

import (
	"os"
	"testing"

	"github.com/oncespec/oncespec/mockapi"
)

// asMock as the first argument makes this test binary the mock: tests kill and restart it as a process of its own.
const asMock = "serve-the-mock"

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == asMock {
		os.Exit(mockapi.Main(os.Args[3:], os.Stderr)) // what `oncespec mock` takes
	}
	os.Exit(m.Run())
}
