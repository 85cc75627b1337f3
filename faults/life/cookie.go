package life

import (
	"crypto/rand"
	"strings"
)

// cookieName is the environment variable that a process we start carries, and all that it starts: a daemon that has left its
// process group is known by it. One that also throws its environment away is out of reach.
const cookieName = "ONCESPEC_RUN"

// cookie tells the processes of one life from all others.
type cookie struct {
	value string
	since int64 // nobody who started earlier carries it, in the system's units; 0: not known
	from  numbering
}

func newCookie() cookie { return cookie{strings.ToLower(rand.Text()), ticks(), numbered()} }
