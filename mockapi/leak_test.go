package mockapi_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/oncespec/oncespec/faults/leaktest"
)

// TestMain makes this test binary a server of a model where it started itself as one.
func TestMain(m *testing.M) {
	if role := os.Getenv(asModelServer); role != "" {
		if err := playModelServer(role); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	leaktest.Main(m)
}
