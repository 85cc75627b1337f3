package linktest

import (
	"net"
	"sync"
	"testing"
)

// Listen takes connections until the test ends, and then ends those that are left. Each is closed once it is handled.
func Listen(t testing.TB, handle func(net.Conn)) (addr string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var serving sync.WaitGroup
	over := make(chan struct{})
	serving.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			handled := make(chan struct{})
			serving.Go(func() {
				defer close(handled)
				handle(c)
			})
			serving.Go(func() {
				select {
				case <-handled:
				case <-over:
				}
				c.Close()
			})
		}
	})
	t.Cleanup(func() {
		l.Close()
		close(over)
		serving.Wait()
	})
	return l.Addr().String()
}
