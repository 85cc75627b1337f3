package burst_test

import (
	"context"
	"errors"
	"io"
	"net"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/oncespec/oncespec/faults/burst"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const patience = 20 * time.Second

func TestAllAreReadyBeforeOneGoes(t *testing.T) {
	t.Parallel()
	const n = 50
	var together sync.WaitGroup
	together.Add(n)
	shots := make([]burst.Shot, n)
	for i := range shots {
		shots[i] = func(_ context.Context, f *burst.Flight) {
			f.Written = time.Now()
			together.Done()
			together.Wait() // passes only if all shots are under way at one time
			f.Answered = time.Now()
		}
	}
	flights := burst.Fire(t.Context(), shots)
	if got := burst.Overlap(flights); got != n {
		t.Errorf("overlap %d, want %d", got, n)
	}
	if got := burst.Overlapped(flights); got != n {
		t.Errorf("overlapped %d, want %d", got, n)
	}
	for i, f := range flights {
		if f.Released.IsZero() || f.Written.Before(f.Released) || f.Ended.Before(f.Answered) {
			t.Errorf("flight %d out of order: %+v", i, f)
		}
	}
}

// Let go together, but the other side took them one by one.
func TestBurstThatRanOneByOneSaysSo(t *testing.T) {
	t.Parallel()
	var turn sync.Mutex
	shots := make([]burst.Shot, 20)
	for i := range shots {
		shots[i] = func(_ context.Context, f *burst.Flight) {
			turn.Lock()
			defer turn.Unlock()
			f.Written = time.Now()
			f.Answered = f.Written.Add(time.Nanosecond)
			for !time.Now().After(f.Answered) { // the next one starts later, whatever the clock's resolution
			}
		}
	}
	flights := burst.Fire(t.Context(), shots)
	if together, some := burst.Overlap(flights), burst.Overlapped(flights); together != 1 || some != 0 {
		t.Errorf("overlap %d, overlapped %d; want 1 and 0", together, some)
	}
}

func TestOverlap(t *testing.T) {
	t.Parallel()
	zero := time.Now()
	at := func(n int) time.Time { return zero.Add(time.Duration(n)) }
	air := func(from, to int) burst.Flight {
		return burst.Flight{Written: at(from), Answered: at(to), Ended: at(100)}
	}
	for name, c := range map[string]struct {
		flights          []burst.Flight
		together, common int
	}{
		"none":                          {nil, 0, 0},
		"one":                           {[]burst.Flight{air(0, 9)}, 1, 0},
		"one after another":             {[]burst.Flight{air(0, 1), air(2, 3), air(4, 5)}, 1, 0},
		"landing as the next starts":    {[]burst.Flight{air(0, 1), air(1, 2)}, 1, 0},
		"a chain":                       {[]burst.Flight{air(0, 2), air(1, 4), air(3, 5)}, 2, 3},
		"one within another, one apart": {[]burst.Flight{air(0, 9), air(3, 4), air(20, 30)}, 2, 2},
		"all":                           {[]burst.Flight{air(0, 9), air(3, 7), air(4, 8)}, 3, 3},
		"never written whole":           {[]burst.Flight{{Ended: at(9)}, air(0, 9)}, 1, 0},
		"never answered":                {[]burst.Flight{{Written: at(1), Ended: at(9)}, air(5, 6)}, 2, 2},
		"answered before it was whole":  {[]burst.Flight{air(5, 3), air(0, 9)}, 1, 0},
	} {
		if together, common := burst.Overlap(c.flights), burst.Overlapped(c.flights); together != c.together || common != c.common {
			t.Errorf("%s: overlap %d, overlapped %d; want %d and %d", name, together, common, c.together, c.common)
		}
	}
}

// server takes n connections and hands them over, opened.
func server(t *testing.T, n int, serve func(net.Conn)) []net.Conn {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var serving sync.WaitGroup
	conns := make([]net.Conn, n)
	for i := range conns {
		if conns[i], err = net.Dial("tcp", l.Addr().String()); err != nil {
			t.Fatal(err)
		}
		accepted, err := l.Accept()
		if err != nil {
			t.Fatal(err)
		}
		accepted.SetDeadline(time.Now().Add(patience))
		serving.Go(func() {
			defer accepted.Close()
			serve(accepted)
		})
	}
	t.Cleanup(func() {
		l.Close()
		for _, c := range conns {
			c.Close()
		}
		serving.Wait()
	})
	return conns
}

func TestOverConnections(t *testing.T) {
	t.Parallel()
	const n = 10
	var whole sync.WaitGroup // no answer before all requests are there
	whole.Add(n)
	conns := server(t, n, func(c net.Conn) {
		io.CopyN(io.Discard, c, 7)
		whole.Done()
		whole.Wait()
		c.Write([]byte("answer"))
	})
	answers := make([]string, n)
	shots := make([]burst.Shot, n)
	for i, c := range conns {
		shots[i] = burst.OverConn(c, []byte("request"), func(r io.Reader) error {
			data, err := io.ReadAll(r)
			answers[i] = string(data)
			return err
		})
	}
	flights := burst.Fire(t.Context(), shots)
	if got := burst.Overlapped(flights); got < 2 {
		t.Errorf("%d overlapped", got)
	}
	for i, f := range flights {
		if f.Err != nil || answers[i] != "answer" || !f.Written.Before(f.Answered) {
			t.Errorf("flight %d: %+v, answer %q", i, f, answers[i])
		}
	}
}

func TestConnectionThatIsNotAnswered(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	silent := server(t, 1, func(c net.Conn) {
		io.CopyN(io.Discard, c, 7)
		cancel()
		io.Copy(io.Discard, c)
	})
	closing := server(t, 1, func(c net.Conn) { io.CopyN(io.Discard, c, 7) })
	gone := server(t, 1, func(net.Conn) {})
	gone[0].Close()

	flights := burst.Fire(ctx, []burst.Shot{
		burst.OverConn(silent[0], []byte("request"), nil),
		burst.OverConn(gone[0], []byte("request"), nil),
	})
	flights = append(flights, burst.Fire(t.Context(), []burst.Shot{burst.OverConn(closing[0], []byte("request"), nil)})...)
	for i, written := range []bool{true, false, true} {
		f := flights[i]
		if f.Err == nil || !f.Answered.IsZero() || f.Written.IsZero() == written {
			t.Errorf("flight %d: %+v", i, f)
		}
	}
	if !errors.Is(flights[2].Err, io.EOF) {
		t.Errorf("closed without an answer: %v", flights[2].Err)
	}
}

func TestNoShots(t *testing.T) {
	t.Parallel()
	if got := burst.Fire(t.Context(), nil); len(got) != 0 {
		t.Errorf("got %v", got)
	}
}
