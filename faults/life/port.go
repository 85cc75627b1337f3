package life

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"sync"

	"github.com/gofrs/flock"
)

// Ports handed out lie below those that systems choose by themselves (from 32768 on Linux, 49152 elsewhere): while a target
// is dead, none of the many connections of a run may happen to take its port.
const (
	firstPort = 20000
	lastPort  = 32000
)

var free = ports{first: firstPort, last: lastPort}

// FreePort returns a TCP port on loopback that nobody listens on, that it has not returned before, and that it does not return in
// another program either as long as this one runs: while a target is dead its port is free, and a target of another run that took
// it would be taken for this one.
func FreePort() (int, error) { return free.next() }

// ports hands out ports from first to below last.
type ports struct {
	first, last int

	mu   sync.Mutex
	left []int          // not handed out yet, shuffled; nil before the first
	kept []*flock.Flock // of those that were, until the end of this program
}

func (p *ports) next() (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.left == nil {
		p.left = rand.Perm(p.last - p.first)
	}
	for len(p.left) > 0 {
		port := p.first + p.left[0]
		p.left = p.left[1:]
		lock, ours := reserve(port)
		if !ours {
			continue
		}
		l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
		if err == nil {
			p.kept = append(p.kept, lock)
			return port, l.Close()
		}
		_ = lock.Unlock()
	}
	return 0, fmt.Errorf("no free port between %d and %d on 127.0.0.1 is left", p.first, p.last)
}

// reserve keeps other programs from handing out the port. Where the system does not let it, it is ours all the same.
func reserve(port int) (lock *flock.Flock, ours bool) {
	dir := filepath.Join(os.TempDir(), "oncespec-ports")
	if err := os.Mkdir(dir, 0o777); err == nil {
		_ = os.Chmod(dir, 0o777|os.ModeSticky) // other people have ports too, whatever the umask says
	}
	lock = flock.New(filepath.Join(dir, strconv.Itoa(port)), flock.SetFlag(os.O_CREATE|os.O_RDONLY), flock.SetPermissions(0o444))
	taken, err := lock.TryLock()
	return lock, taken || err != nil && !errors.Is(err, os.ErrExist)
}
