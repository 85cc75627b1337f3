package target

import (
	"sync"

	"github.com/oncespec/oncespec/faults/link"
)

// openFlights knows the flights of a trial that are under way, and the wires that still drain an answer.
type openFlights struct {
	mu      sync.Mutex
	flights map[*Flight]struct{}
	wires   []*link.Wire
}

func (a *openFlights) add(f *Flight) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.flights == nil {
		a.flights = map[*Flight]struct{}{}
	}
	a.flights[f] = struct{}{}
}

func (a *openFlights) remove(f *Flight) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.flights, f)
}

func (a *openFlights) drain(w *link.Wire) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.wires = append(a.wires, w)
}

func (a *openFlights) open() []*Flight {
	a.mu.Lock()
	defer a.mu.Unlock()
	var open []*Flight
	for f := range a.flights {
		open = append(open, f)
	}
	return open
}

// clear ends what is under way, closes the wires, and returns how many flights there were.
func (a *openFlights) clear() int {
	open := a.open()
	for _, f := range open {
		f.cancel(errLeft)
	}
	for _, f := range open {
		<-f.done
	}
	a.mu.Lock()
	wires := a.wires
	a.wires = nil
	a.mu.Unlock()
	for _, w := range wires {
		w.Close()
	}
	return len(open)
}
