package life

import (
	"strings"
	"sync"
)

// logSize is how much of a target's output is kept.
const logSize = 64 << 10

// ring keeps the last logSize bytes written to it.
type ring struct {
	mu   sync.Mutex
	data []byte // up to twice the size, so that it is seldom moved
}

func (r *ring) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.data = append(r.data, p[max(0, len(p)-logSize):]...)
	if len(r.data) > 2*logSize {
		r.data = append(r.data[:0], r.data[len(r.data)-logSize:]...)
	}
	return len(p), nil
}

func (r *ring) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return string(r.data[max(0, len(r.data)-logSize):])
}

// saysPortTaken recognises how runtimes say that an address is in use.
func saysPortTaken(log string) bool {
	log = strings.ToLower(log)
	for _, words := range []string{"address already in use", "address in use", "eaddrinuse", "only one usage of each socket address",
		"port is already allocated", "port already in use", "is already in use"} {
		if strings.Contains(log, words) {
			return true
		}
	}
	return false
}
