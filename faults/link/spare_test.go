package link_test

import (
	"bufio"
	"fmt"
	"net"
	"testing"

	"github.com/oncespec/oncespec/faults/link"
)

// While those that wait for an answer stand still, others can ask; those that had asked before are not let go meanwhile.
func TestAHaltSparesWhoWaitsForNothing(t *testing.T) {
	t.Parallel()
	links := link.New()
	t.Cleanup(links.Close)
	asked, answer := make(chan string, 8), make(chan bool)
	upstream := listen(t, func(c net.Conn) {
		for in := bufio.NewScanner(c); in.Scan(); {
			asked <- in.Text()
			if in.Text() == "owed" {
				<-answer
			}
			fmt.Fprintf(c, "re: %s\n", in.Text())
		}
	})
	r, err := links.Relay(t.Context(), "127.0.0.1:0", link.Upstream{Addr: upstream.Addr().String()})
	if err != nil {
		t.Fatal(err)
	}
	held, owed, idle := enter(t, r), enter(t, r), enter(t, r)
	idle.say("at first")
	idle.hear("re: at first")
	h := r.Hold(link.Answers, 0)
	held.say("held")
	arrived(t, h, 1)
	owed.say("owed")
	for line := ""; line != "owed"; {
		line = <-asked
	}
	end := h.Spare()
	close(answer)
	arrived(t, h, 2)
	idle.say("idle")
	idle.hear("re: idle")
	late := enter(t, r)
	late.say("new")
	late.hear("re: new")
	if n := h.Holding(); n != 2 {
		t.Errorf("%d connections are held, want 2", n)
	}
	end()
	idle.say("afterwards")
	arrived(t, h, 3)
	h.Release()
	held.hear("re: held")
	owed.hear("re: owed")
	idle.hear("re: afterwards")
}

// Whoever was let go is about to ask something, until it is heard of or leaves.
func TestAHaltWaitsForWhomItLetGo(t *testing.T) {
	t.Parallel()
	r := relay(t, nil)
	one, other := enter(t, r), enter(t, r)
	h := r.Hold(link.Answers, 0)
	one.say("one")
	other.say("other")
	arrived(t, h, 2)
	if !h.Rejoined(t.Context(), 0) {
		t.Error("nobody was let go, and somebody is waited for")
	}
	h.Step()
	one.hear("re: one")
	other.hear("re: other")
	one.say("again")
	arrived(t, h, 1)
	if h.Rejoined(t.Context(), 0) {
		t.Error("one was not heard of yet")
	}
	other.Close()
	if !h.Rejoined(t.Context(), patience) {
		t.Error("it left, and is waited for")
	}
	h.Release()
	one.hear("re: again")
}
