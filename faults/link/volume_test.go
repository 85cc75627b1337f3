package link_test

import (
	"context"
	"io"
	"net"
	"sync"
	"testing"

	"github.com/oncespec/oncespec/faults/link"
)

func TestAThousandWires(t *testing.T) {
	t.Parallel()
	u := listen(t, answering(2, []byte("abc")))
	links := link.New()
	defer links.Close()
	plans := []link.Plan{{}, {DropResponse: true}, {CutResponse: 1}, {ResetResponse: true}, {CutRequest: 1}, {HoldResponse: true}}
	addr := link.Upstream{Addr: u.Addr().String()}
	var all sync.WaitGroup
	for worker := range 8 {
		all.Go(func() {
			for i := range 125 {
				plan := plans[(worker+i)%len(plans)]
				w, err := links.Open(t.Context(), addr, plan)
				if err != nil {
					t.Error(err)
					return
				}
				c, err := net.Dial("tcp", w.Addr)
				if err != nil {
					t.Error(err)
					return
				}
				c.Write([]byte("rq"))
				if !plan.HoldResponse {
					c.Read(make([]byte, 3))
				}
				c.Close()
				if i%2 == 0 { // the others are left to links.Close
					w.Close()
				}
			}
		})
	}
	all.Wait()
}

func BenchmarkExchange(b *testing.B) {
	u := listen(b, answering(2, []byte("abc")))
	addr := u.Addr().String()
	exchange := func(b *testing.B, addr string) {
		c, err := net.Dial("tcp", addr)
		if err != nil {
			b.Fatal(err)
		}
		defer c.Close()
		c.Write([]byte("rq"))
		if _, err := io.ReadFull(c, make([]byte, 3)); err != nil {
			b.Fatal(err)
		}
	}
	b.Run("direct", func(b *testing.B) {
		for b.Loop() {
			exchange(b, addr)
		}
	})
	b.Run("wire", func(b *testing.B) {
		links := link.New()
		defer links.Close()
		for b.Loop() {
			w, err := links.Open(context.Background(), link.Upstream{Addr: addr}, link.Plan{})
			if err != nil {
				b.Fatal(err)
			}
			exchange(b, w.Addr)
			w.Close()
		}
	})
}
