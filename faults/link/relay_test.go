package link_test

import (
	"bufio"
	"fmt"
	"net"
	"testing"
	"time"

	"github.com/oncespec/oncespec/faults/link"
)

// answers is an upstream that answers each line with "re: LINE", until the other side leaves; lines is told of each.
func answers(lines chan<- string) func(net.Conn) {
	return func(c net.Conn) {
		in := bufio.NewScanner(c)
		for in.Scan() {
			if lines != nil {
				lines <- in.Text()
			}
			if _, err := fmt.Fprintf(c, "re: %s\n", in.Text()); err != nil {
				return
			}
		}
	}
}

func relay(t testing.TB, lines chan<- string) *link.Relay {
	t.Helper()
	links := link.New()
	t.Cleanup(links.Close)
	r, err := links.Relay(t.Context(), "127.0.0.1:0", link.Upstream{Addr: listen(t, answers(lines)).Addr().String()})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// client is one connection through a relay.
type client struct {
	net.Conn
	t  testing.TB
	in *bufio.Reader
}

func enter(t testing.TB, r *link.Relay) *client {
	t.Helper()
	c, err := net.Dial("tcp", r.Addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	c.SetDeadline(time.Now().Add(patience))
	return &client{c, t, bufio.NewReader(c)}
}

func (c *client) say(line string) {
	c.t.Helper()
	if _, err := fmt.Fprintln(c, line); err != nil {
		c.t.Fatal(err)
	}
}

func (c *client) hear(want string) {
	c.t.Helper()
	if got, err := c.in.ReadString('\n'); got != want+"\n" {
		c.t.Fatalf("heard %q (%v), want %q", got, err, want)
	}
}

// gone says that the connection ends without another byte.
func (c *client) gone() {
	c.t.Helper()
	if got, err := c.in.ReadString('\n'); err == nil || got != "" {
		c.t.Fatalf("heard %q (%v), want the end of the connection", got, err)
	}
}

// silent says that nothing arrived.
func silent(t testing.TB, lines <-chan string) {
	t.Helper()
	select {
	case line := <-lines:
		t.Fatalf("the upstream was told %q", line)
	default:
	}
}

func arrived(t testing.TB, h *link.Halt, n int) {
	t.Helper()
	if err := h.Arrived(t.Context(), n); err != nil {
		t.Fatal(err)
	}
}

func TestARelayPassesAndCounts(t *testing.T) {
	t.Parallel()
	r := relay(t, nil)
	for range 2 {
		c := enter(t, r)
		c.say("one")
		c.hear("re: one")
		c.say("two")
		c.hear("re: two")
	}
	p := r.Proof()
	if p.Connections != 2 || p.Severed != 0 || p.TurnedAway != 0 {
		t.Errorf("proof %+v", p)
	}
	if want := (link.Traffic{Bytes: 16, Forwarded: 16, Pieces: 4}); p.Requests != want {
		t.Errorf("requests %+v, want %+v", p.Requests, want)
	}
	if want := (link.Traffic{Bytes: 32, Forwarded: 32, Pieces: 4}); p.Answers != want {
		t.Errorf("answers %+v, want %+v", p.Answers, want)
	}
}

// What is held on the way there has not been seen by the upstream; what is held on the way back has.
func TestARelayHoldsOneWay(t *testing.T) {
	t.Parallel()
	for _, dir := range []link.Direction{link.Requests, link.Answers} {
		t.Run(dir.String(), func(t *testing.T) {
			t.Parallel()
			lines := make(chan string, 8)
			r := relay(t, lines)
			c := enter(t, r)
			h := r.Hold(dir, 1)
			c.say("first passes")
			c.hear("re: first passes")
			<-lines
			c.say("held")
			arrived(t, h, 1)
			if dir == link.Requests {
				silent(t, lines)
			} else if got := <-lines; got != "held" {
				t.Fatalf("the upstream was told %q", got)
			}
			if p := r.Proof().Of(dir); p.Held != 1 || p.Forwarded >= p.Bytes || h.Holding() != 1 {
				t.Errorf("while held: %+v, on %d connections", p, h.Holding())
			}
			h.Release()
			c.hear("re: held")
			c.say("later")
			c.hear("re: later")
			if p := r.Proof().Of(dir); p.Held != 1 || p.Forwarded != p.Bytes || h.Holding() != 0 || h.Held() != 1 {
				t.Errorf("after the release: %+v", p)
			}
		})
	}
}

// A halt takes all connections from one round trip to the next, in step.
func TestAHaltSteps(t *testing.T) {
	t.Parallel()
	r := relay(t, nil)
	a, b := enter(t, r), enter(t, r)
	h := r.Hold(link.Answers, 0)
	for round := range 3 {
		a.say("a")
		b.say("b")
		arrived(t, h, 2)
		if n := h.Step(); n != 2 {
			t.Fatalf("round %d: %d pieces went", round, n)
		}
		a.hear("re: a")
		b.hear("re: b")
	}
	a.say("held again")
	arrived(t, h, 1)
	h.Release()
	a.hear("re: held again")
	if h.Held() != 7 {
		t.Errorf("%d pieces held, want 7", h.Held())
	}
}

// A cut takes connections, and what was held in them, for ever; new ones are turned away until it is mended.
func TestACutTakesWhatIsHeld(t *testing.T) {
	t.Parallel()
	for _, dir := range []link.Direction{link.Requests, link.Answers} {
		t.Run(dir.String(), func(t *testing.T) {
			t.Parallel()
			lines := make(chan string, 8)
			r := relay(t, lines)
			idle, c := enter(t, r), enter(t, r)
			idle.say("idle")
			idle.hear("re: idle")
			<-lines
			h := r.Hold(dir, 0)
			c.say("held")
			arrived(t, h, 1)
			if n := r.Cut(); n != 2 {
				t.Errorf("%d connections cut, want 2", n)
			}
			h.Release()
			c.gone()
			idle.gone()
			if dir == link.Requests {
				silent(t, lines)
			}
			enter(t, r).gone()
			r.Mend()
			again := enter(t, r)
			again.say("again")
			again.hear("re: again")
			r.Close() // from now on the proof is complete
			p := r.Proof()
			if p.Severed != 2 || p.TurnedAway != 1 || p.Connections != 3 || p.Of(dir).Dropped == 0 {
				t.Errorf("proof %+v", p)
			}
		})
	}
}

func TestABreakLetsNewConnectionsCome(t *testing.T) {
	t.Parallel()
	r := relay(t, nil)
	c := enter(t, r)
	c.say("one")
	c.hear("re: one")
	if n := r.Break(); n != 1 {
		t.Errorf("%d connections broken, want 1", n)
	}
	c.gone()
	again := enter(t, r)
	again.say("two")
	again.hear("re: two")
}

func TestARelayDelaysBothWays(t *testing.T) {
	t.Parallel()
	const by = 20 * time.Millisecond
	r := relay(t, nil)
	c := enter(t, r)
	c.say("at once")
	c.hear("re: at once")
	r.Delay(by)
	began := time.Now()
	c.say("late")
	c.hear("re: late")
	if took := time.Since(began); took < 2*by {
		t.Errorf("there and back took %v, want at least %v", took, 2*by)
	}
	r.Delay(0)
	c.say("at once")
	c.hear("re: at once")
	if p := r.Proof(); p.Requests.Delayed != 1 || p.Answers.Delayed != 1 {
		t.Errorf("proof %+v", p)
	}
}

// Whoever leaves while something of theirs is held leaves nothing behind: what they sent still arrives, what they wait for does
// not matter any more.
func TestAClientLeavesWhileHeld(t *testing.T) {
	t.Parallel()
	t.Run("its answer", func(t *testing.T) {
		t.Parallel()
		r := relay(t, nil)
		c := enter(t, r)
		h := r.Hold(link.Answers, 0)
		c.say("x")
		arrived(t, h, 1)
		c.Close()
		other := enter(t, r)
		other.say("y")
		arrived(t, h, 1)
		h.Release()
		other.hear("re: y")
	})
	t.Run("its request", func(t *testing.T) {
		t.Parallel()
		lines := make(chan string, 1)
		r := relay(t, lines)
		c := enter(t, r)
		h := r.Hold(link.Requests, 0)
		c.say("sent before it left")
		arrived(t, h, 1)
		c.Close()
		h.Release()
		if got := <-lines; got != "sent before it left" {
			t.Errorf("the upstream was told %q", got)
		}
	})
}

// A relay that is closed ends what is held; waiting for more says why.
func TestARelayClosesWhileHeld(t *testing.T) {
	t.Parallel()
	r := relay(t, nil)
	c := enter(t, r)
	h := r.Hold(link.Answers, 0)
	c.say("x")
	arrived(t, h, 1)
	r.Close()
	r.Close()
	c.gone()
	if err := h.Arrived(t.Context(), 2); err == nil {
		t.Error("a closed relay held a second connection")
	}
	h.Release()
	if _, err := net.Dial("tcp", r.Addr); err == nil {
		t.Error("a closed relay takes connections")
	}
}

func TestARelayCannotStart(t *testing.T) {
	t.Parallel()
	links := link.New()
	t.Cleanup(links.Close)
	taken := listen(t, func(net.Conn) {})
	for name, c := range map[string]struct{ listen, up string }{
		"the address is taken": {taken.Addr().String(), "127.0.0.1:1"},
		"no port":              {"127.0.0.1:0", "127.0.0.1"},
	} {
		if _, err := links.Relay(t.Context(), c.listen, link.Upstream{Addr: c.up}); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestARelayToNobody(t *testing.T) {
	t.Parallel()
	up := listen(t, func(net.Conn) {})
	links := link.New()
	t.Cleanup(links.Close)
	r, err := links.Relay(t.Context(), "127.0.0.1:0", link.Upstream{Addr: up.Addr().String()})
	if err != nil {
		t.Fatal(err)
	}
	up.Close()
	enter(t, r).gone()
	if p := r.Proof(); p.DialError == "" || p.Connections != 0 {
		t.Errorf("proof %+v", p)
	}
}
