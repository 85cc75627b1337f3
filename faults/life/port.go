package life

import (
	"errors"
	"math/rand/v2"
	"net"
	"strconv"
	"sync"
)

// Ports handed out lie below those that systems choose by themselves (from 32768 on Linux, 49152 elsewhere): while a target
// is dead, none of the many connections of a run may happen to take its port.
const (
	firstPort = 20000
	lastPort  = 32000
)

var ports struct {
	mu   sync.Mutex
	left []int // not handed out yet, shuffled; nil before the first
}

// FreePort returns a TCP port on loopback that nobody listens on, and that it has not returned before.
func FreePort() (int, error) {
	ports.mu.Lock()
	defer ports.mu.Unlock()
	if ports.left == nil {
		ports.left = rand.Perm(lastPort - firstPort)
	}
	for len(ports.left) > 0 {
		port := firstPort + ports.left[0]
		ports.left = ports.left[1:]
		l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
		if err == nil {
			return port, l.Close()
		}
	}
	return 0, errors.New("no free port between 20000 and 32000 on 127.0.0.1 is left")
}
