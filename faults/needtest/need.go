package needtest

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// Have goes on where what the test needs is there: err is nil. Otherwise err says why it is not.
func Have(t testing.TB, what string, err error) {
	t.Helper()
	switch {
	case err == nil:
	case slices.Contains(strings.Split(os.Getenv("ONCESPEC_REQUIRE"), ","), what):
		t.Fatalf("ONCESPEC_REQUIRE asks for %s: %v", what, err)
	default:
		t.Skipf("no %s (ONCESPEC_REQUIRE=%s makes this a failure): %v", what, what, err)
	}
}
