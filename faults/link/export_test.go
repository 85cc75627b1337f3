package link

import (
	"testing"
	"time"
)

// Impatient bounds each call to a Toxiproxy server of somebody else's, until the test ends.
func Impatient(t *testing.T, limit time.Duration) {
	usual := remoteLimit
	remoteLimit = limit
	t.Cleanup(func() { remoteLimit = usual })
}
