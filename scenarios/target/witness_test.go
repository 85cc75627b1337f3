package target_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"reflect"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/oncespec/oncespec/faults/link"
	"github.com/oncespec/oncespec/faults/link/linktest"
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/target"
)

// handling is how long the witness thinks before it answers: a fault on the answer must not reach it before.
const handling = 40 * time.Millisecond

// theAnswer is what the witness answers to everything.
var theAnswer = "HTTP/1.1 201 Created\r\nContent-Type: application/json\r\nContent-Length: 300\r\nConnection: close\r\n\r\n" + `{"id":"w1","pad":"` + strings.Repeat("x", 280) + `"}`

// witness is a server that knows nothing of the harness: it says what came to it on a connection, and what became of that.
type witness struct {
	seen chan testimony
}

// testimony is what it saw of one connection.
type testimony struct {
	got     int64         // bytes that came
	whole   bool          // they made up a request
	took    time.Duration // from the first of them to the last
	alone   bool          // the other side left before it was answered
	written int           // bytes of the answer that its socket took
}

func (w *witness) serve(c net.Conn) {
	c.SetDeadline(time.Now().Add(20 * time.Second))
	var saw testimony
	in := &stamped{Conn: c}
	defer func() {
		if string(in.head) == "POST" { // the harness also looks at the state
			w.seen <- saw
		}
	}()
	request, err := http.ReadRequest(bufio.NewReader(in))
	if err == nil {
		_, err = io.Copy(io.Discard, request.Body)
	}
	saw.got, saw.took, saw.whole = in.n, in.last.Sub(in.first), err == nil
	if err != nil {
		return
	}
	// Whoever leaves meanwhile is seen by a read that ends.
	c.SetReadDeadline(time.Now().Add(handling))
	if _, err := c.Read(make([]byte, 1)); err != nil && !errors.Is(err, syscall.ETIMEDOUT) {
		var late net.Error
		saw.alone = !errors.As(err, &late) || !late.Timeout()
	}
	saw.written, _ = c.Write([]byte(theAnswer))
	c.SetReadDeadline(time.Now().Add(time.Second))
	c.(*net.TCPConn).CloseWrite()
	_, _ = io.Copy(io.Discard, c)
}

// stamped notes how much is read, and when.
type stamped struct {
	net.Conn
	n           int64
	first, last time.Time
	head        []byte
}

func (s *stamped) Read(p []byte) (int, error) {
	n, err := s.Conn.Read(p)
	if n > 0 {
		s.last = time.Now()
		if s.n == 0 {
			s.first = s.last
		}
		s.n += int64(n)
		s.head = append(s.head, p[:min(n, max(0, 4-len(s.head)))]...)
	}
	return n, err
}

func watch(t *testing.T) (url string, w *witness) {
	t.Helper()
	w = &witness{seen: make(chan testimony, 100)}
	return "http://" + linktest.Listen(t, w.serve), w
}

// TestTheWitnessAgrees: what the history says of a connection is what a server saw that knows nothing of faults; both where the
// fault lands and where there is nothing that it could land on.
func TestTheWitnessAgrees(t *testing.T) {
	t.Parallel()
	bad := []byte("HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n")
	const most = 1 << 20 // more than there is of anything
	cases := []struct {
		name  string
		plan  link.Plan
		send  target.Send
		lands bool
		says  func(a *history.Attempt, w testimony) error
	}{
		{name: "nothing", says: unharmed},
		{name: "answer dropped", plan: link.Plan{DropResponse: true}, lands: true, says: deprived(0)},
		{name: "answer cut", plan: link.Plan{CutResponse: 100}, lands: true, says: deprived(100)},
		{name: "answer cut beyond its end", plan: link.Plan{CutResponse: most}, says: unharmed},
		{name: "connection reset", plan: link.Plan{ResetResponse: true}, lands: true, says: deprived(0)},
		{name: "answer replaced", plan: link.Plan{ReplaceResponse: bad}, lands: true, says: func(a *history.Attempt, w testimony) error {
			if err := answeredWhole(a, w); err != nil {
				return err
			}
			if !a.Replaced || a.Answer == nil || a.Answer.Status != 502 {
				return errors.New("the client did not read the intermediary's answer")
			}
			return nil
		}},
		{name: "answer held", plan: link.Plan{HoldResponse: true}, lands: true, says: func(a *history.Attempt, w testimony) error {
			if !a.Link.Held {
				return errors.New("it was not held")
			}
			return answeredWhole(a, w)
		}},
		{name: "request cut", plan: link.Plan{CutRequest: 60}, lands: true, says: func(a *history.Attempt, w testimony) error {
			if w.whole || a.Link.RequestWhole || w.got != 60 || a.Link.RequestBytes != 60 || w.written > 0 || a.Link.ResponseBytes > 0 {
				return errors.New("half a request was expected, and no answer")
			}
			return nil
		}},
		{name: "request cut beyond its end", plan: link.Plan{CutRequest: most}, says: unharmed},
		{name: "request dribbled", plan: link.Plan{DribbleRequest: link.Dribble{Slice: 64, Pause: 20 * time.Millisecond}}, lands: true, says: func(a *history.Attempt, w testimony) error {
			if w.took < 20*time.Millisecond || time.Duration(a.Link.LastRequestAt-a.Began)*time.Microsecond < w.took/2 {
				return fmt.Errorf("it came in over %v", w.took)
			}
			return answeredWhole(a, w)
		}},
		{name: "request dribbled in one piece", plan: link.Plan{DribbleRequest: link.Dribble{Slice: most, Pause: time.Microsecond}}, says: unharmed},
		{name: "client hangs up", send: target.Send{HangUp: true}, lands: true, says: leftAlone},
		{name: "client gives up", send: target.Send{GiveUp: make(chan struct{})}, lands: true, says: leftAlone},
		{name: "client gives up too late", send: target.Send{GiveUp: make(chan struct{})}, says: unharmed},
	}
	covered := map[string]bool{"HangUpAfter": true} // planned for a client that hangs up
	for _, c := range cases {
		plan := reflect.ValueOf(c.plan)
		for i := range plan.NumField() {
			covered[plan.Type().Field(i).Name] = covered[plan.Type().Field(i).Name] || c.lands && !plan.Field(i).IsZero()
		}
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			url, w := watch(t)
			r := startAt(t, configure(t, url, plain))
			s := r.stage("lost/response")
			in := must(s.Intent(t.Context(), target.As("globex")))
			send := c.send
			send.Fault = c.plan
			giveUp := make(chan struct{})
			if c.send.GiveUp != nil {
				send.GiveUp = giveUp
			}
			f := s.Go(t.Context(), in, send)
			switch {
			case c.plan.HoldResponse:
				<-f.Wire().FirstResponse()
				f.Wire().Release()
			case c.send.GiveUp != nil && c.lands:
				<-f.Wire().RequestForwarded(f.Size())
				close(giveUp)
			case c.send.GiveUp != nil:
				<-f.Done()
				close(giveUp)
			}
			a := f.Wait(t.Context())
			var saw testimony
			select {
			case saw = <-w.seen:
			case <-time.After(10 * time.Second):
				t.Fatalf("the witness saw no such request: history %s (%s), %+v", a.Outcome, a.Reason, a.Link)
			}
			if a.Link.RequestBytes != saw.got || a.Link.RequestWhole != saw.whole {
				t.Errorf("the history says that %d bytes reached the target (all: %v), it had %d (all: %v)", a.Link.RequestBytes, a.Link.RequestWhole, saw.got, saw.whole)
			}
			if err := c.says(a, saw); err != nil {
				t.Errorf("%v: history %s (%s), %+v; witness %+v", err, a.Outcome, a.Reason, a.Link, saw)
			}
		})
	}
	for field, seen := range covered {
		if !seen {
			t.Errorf("nobody has watched a link.Plan with %s land", field)
		}
	}
}

// unharmed: nothing was done, and nothing is said to have been.
func unharmed(a *history.Attempt, w testimony) error {
	if a.Outcome != history.Answered || a.Link.Cut || a.Link.Held || a.Replaced || a.Link.ForwardedBytes != int64(len(theAnswer)) {
		return errors.New("a fault that did not land is said to have")
	}
	return answeredWhole(a, w)
}

// answeredWhole: the target noticed nothing, and all of its answer was seen to leave it, after as long as it took.
func answeredWhole(a *history.Attempt, w testimony) error {
	switch took := time.Duration(a.Link.FirstByteAt-a.Link.LastRequestAt) * time.Microsecond; {
	case w.alone || w.written != len(theAnswer) || a.Link.ResponseBytes != int64(w.written):
		return errors.New("the target noticed, or its answer was not seen whole")
	case took < handling/2:
		return fmt.Errorf("the answer is said to have begun after %v", took)
	}
	return nil
}

// deprived: the target gave its whole answer and noticed nothing; the client got so many bytes of it and no answer.
func deprived(bytes int64) func(*history.Attempt, testimony) error {
	return func(a *history.Attempt, w testimony) error {
		if a.Outcome != history.Lost || !a.Link.Cut || a.Link.ForwardedBytes != bytes {
			return errors.New("the client was not deprived of the answer")
		}
		if w.alone || w.written != len(theAnswer) || a.Link.ResponseBytes == 0 {
			return errors.New("the target noticed")
		}
		return nil
	}
}

// leftAlone: the target had the whole request, and saw its client leave before it answered.
func leftAlone(a *history.Attempt, w testimony) error {
	if a.Outcome != history.Lost || !w.whole || !w.alone {
		return errors.New("the client did not leave in the middle")
	}
	return nil
}
