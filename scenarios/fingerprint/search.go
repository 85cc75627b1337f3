package fingerprint

import (
	"flag"
	"fmt"
	"runtime"
	"sync"
	"testing"

	"pgregory.net/rapid"
)

// rapid's settings are flags of the process: one search at a time.
var searching sync.Mutex

// search lets rapid draw up to n cases from the seed and shrink the first that fails. It tells nobody: the histories do.
func search(seed uint64, n int, property func(*rapid.T)) {
	searching.Lock()
	defer searching.Unlock()
	if !testing.Testing() && !flag.Parsed() { // rapid reads the flags of go test, which a plain program has to register
		testing.Init()
		_ = flag.CommandLine.Parse(nil)
	}
	restore := set(map[string]string{
		"rapid.checks": fmt.Sprint(n), "rapid.seed": fmt.Sprint(seed>>1 | 1), "rapid.nofailfile": "true",
		"rapid.shrinktime": "10s", "rapid.log": "false", "rapid.v": "false",
	})
	defer restore()
	done := make(chan struct{})
	go func() { // FailNow ends its goroutine
		defer close(done)
		rapid.Check(&collector{}, property)
	}()
	<-done
}

func set(flags map[string]string) (restore func()) {
	before := map[string]string{}
	for name, value := range flags {
		if f := flag.Lookup(name); f != nil {
			before[name] = f.Value.String()
			_ = flag.Set(name, value)
		}
	}
	return func() {
		for name, value := range before {
			_ = flag.Set(name, value)
		}
	}
}

// collector is the testing.TB that rapid needs: it swallows the words and unwinds.
type collector struct{ failed bool }

func (*collector) Helper()                 {}
func (*collector) Name() string            { return "fingerprint/property" }
func (*collector) Logf(string, ...any)     {}
func (*collector) Log(...any)              {}
func (*collector) Skipf(string, ...any)    { runtime.Goexit() }
func (*collector) Skip(...any)             { runtime.Goexit() }
func (*collector) SkipNow()                { runtime.Goexit() }
func (c *collector) Errorf(string, ...any) { c.failed = true }
func (c *collector) Error(...any)          { c.failed = true }
func (c *collector) Fatalf(string, ...any) { c.failed = true; runtime.Goexit() }
func (c *collector) Fatal(...any)          { c.failed = true; runtime.Goexit() }
func (c *collector) FailNow()              { c.failed = true; runtime.Goexit() }
func (c *collector) Fail()                 { c.failed = true }
func (c *collector) Failed() bool          { return c.failed }
