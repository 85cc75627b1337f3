package leaktest

import (
	"fmt"
	"os"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/oncespec/oncespec/faults/journal"
)

// patience is how long what was told to end may take until it is gone.
const patience = 5 * time.Second

// Main runs the tests of a package and exits; it fails where they left something behind. The journal is one of its own, so that
// no test ends what another program left. Options are those of goleak, for goroutines that are nobody's fault.
func Main(m *testing.M, options ...goleak.Option) { os.Exit(Run(m, options...)) }

// Run is Main for those who have to tidy up before they exit.
func Run(m *testing.M, options ...goleak.Option) (code int) {
	state, err := os.MkdirTemp("", "leaktest-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(state)
	os.Setenv("XDG_STATE_HOME", state)
	before := sockets()
	if code = m.Run(); code != 0 {
		return code
	}
	if err := goleak.Find(options...); err != nil {
		fmt.Fprintln(os.Stderr, "left behind:", err)
		code = 1
	}
	for _, what := range left(before) {
		fmt.Fprintln(os.Stderr, "left behind:", what)
		code = 1
	}
	return code
}

// left lists what is there once everything had time to go.
func left(sockets map[string]bool) (there []string) {
	for end := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
		there = there[:0]
		for _, t := range journal.Open() {
			there = append(there, "in the journal: "+t.String())
		}
		there = append(append(there, children()...), added(sockets)...)
		if len(there) == 0 || time.Now().After(end) {
			return there
		}
	}
}
