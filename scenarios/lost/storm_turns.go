package lost

import "sync"

// turns counts attempts as they begin, so that faults and blows come by their place among them and not by the clock.
type turns struct {
	mu      sync.Mutex
	begun   int
	moving  int // clients that may still begin an attempt
	waiting []turn
}

type turn struct {
	at    int
	delay bool // a client waits for others; where none moves it need not
	come  chan struct{}
}

func newTurns(clients int) *turns { return &turns{moving: clients} }

// began counts one attempt.
func (o *turns) began() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.begun++
	o.call()
}

// reached is closed when so many attempts have begun.
func (o *turns) reached(n int) <-chan struct{} {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.wait(turn{at: n, come: make(chan struct{})})
}

// after is closed when so many more attempts have begun, or nobody is left who could begin one. The client rests until wake.
func (o *turns) after(n int) <-chan struct{} {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.moving--
	return o.wait(turn{at: o.begun + n, delay: true, come: make(chan struct{})})
}

// rest says that a client waits for another; wake that it goes on.
func (o *turns) rest() { o.move(-1) }
func (o *turns) wake() { o.move(1) }

// leave says that a client is done.
func (o *turns) leave() { o.move(-1) }

func (o *turns) move(by int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.moving += by
	o.call()
}

func (o *turns) wait(t turn) <-chan struct{} {
	o.waiting = append(o.waiting, t)
	o.call()
	return t.come
}

// call lets everybody go whose turn has come.
func (o *turns) call() {
	left := o.waiting[:0]
	for _, t := range o.waiting {
		if o.begun >= t.at || t.delay && o.moving <= 0 {
			close(t.come)
		} else {
			left = append(left, t)
		}
	}
	o.waiting = left
}
