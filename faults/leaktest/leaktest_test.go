package leaktest

import (
	"net"
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"github.com/oncespec/oncespec/faults/journal"
)

func TestMain(m *testing.M) { Main(m) }

// TestEachKindOfLeakIsSeen: what finds nothing must be able to find something.
func TestEachKindOfLeakIsSeen(t *testing.T) {
	before := sockets()
	see := func(word string, want bool) {
		t.Helper()
		found := append(append([]string{}, children()...), added(before)...)
		for _, thing := range journal.Open() {
			found = append(found, thing.String())
		}
		if got := strings.Contains(strings.Join(found, "\n"), word); got != want {
			t.Errorf("%q seen: %v, want %v, in %q", word, got, want, found)
		}
	}
	entry, err := journal.Begin(journal.Thing{Kind: "container", Name: "box"})
	if err != nil {
		t.Fatal(err)
	}
	see("container box", true)
	entry.End()
	see("container box", false)
	if runtime.GOOS != "linux" {
		t.Skip("the rest is seen on Linux only")
	}
	sleep := exec.Command("sleep", "1000")
	if err := sleep.Start(); err != nil {
		t.Fatal(err)
	}
	see("(sleep)", true)
	sleep.Process.Kill()
	sleep.Wait()
	see("(sleep)", false)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	see("socket:", true)
	l.Close()
	see("socket:", false)
}
