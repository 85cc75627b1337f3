package race

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/oncespec/oncespec/mockapi/provider"
	"github.com/oncespec/oncespec/scenarios/catalogue"
	"github.com/oncespec/oncespec/scenarios/target"
)

// Duplicates that the target lets wait for the first are not answered before the first is let go, so no event tells that it
// has all of them in hand. The first is let go once no request was sent or answered for calm, and after mostCalm in any case.
const (
	calm     = 150 * time.Millisecond
	mostCalm = 2 * time.Second
)

// round is one burst.
type round struct {
	keys int
	each int  // requests with each key
	held bool // the first to reach the gate is held meanwhile
}

// rounds drops the rounds that hold the first call where there is no gate to hold it.
func rounds(s *target.Stage, all ...round) []round {
	if s.Has(catalogue.NeedGate) {
		return all
	}
	var free []round
	for _, r := range all {
		r.held = false
		free = append(free, r)
	}
	return free
}

// words describe the round.
func (r round) words(what string) string {
	how, keys := "", ""
	if r.held {
		how = ", the first one's work held downstream"
	}
	if r.keys > 1 {
		keys = fmt.Sprintf(" for each of %d keys", r.keys)
	}
	return fmt.Sprintf("%d %s%s%s", r.each, what, keys, how)
}

// intents are those of the round: one where the target's state cannot tell several apart.
func (r round) intents(ctx context.Context, trial *target.Stage) (all []*target.Intent, err error) {
	for len(all) < r.keys && (len(all) == 0 || trial.TellsApart()) {
		in, err := trial.Intent(ctx)
		if err != nil {
			return nil, err
		}
		all = append(all, in)
	}
	return all, nil
}

// requests is how many there are with each key, so that all of the round's are sent.
func (r round) requests(intents []*target.Intent) int { return r.keys * r.each / len(intents) }

// atOnce is how many intents are looked after at a time once a burst is over.
const atOnce = 4

// together sends the shots at once. Those of a round that is held share one intent's markers.
func (r round) together(ctx context.Context, s *target.Stage, label string, shots []target.Shot) {
	if !r.held {
		s.Burst(ctx, label, shots)
		return
	}
	hold := s.Hold(shots[0].Intent, provider.BeforeBooking)
	defer hold.Close()
	burst := s.GoBurst(ctx, label, shots)
	if arrived(ctx, hold, burst.Flights()) {
		untilCalm(ctx, burst.Flights())
	}
	hold.Release()
	burst.Wait(ctx)
}

// arrived waits until the call of any of the flights is held, or all ended without one.
func arrived(ctx context.Context, hold *target.Hold, flights []*target.Flight) bool {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	answers := make(chan bool, len(flights))
	for _, f := range flights {
		go func() { answers <- hold.Arrived(ctx, f) }()
	}
	for range flights {
		if <-answers {
			return true
		}
	}
	return false
}

// untilCalm waits until all flights but one have ended, or no flight has ended for a while.
func untilCalm(ctx context.Context, flights []*target.Flight) {
	ctx, cancel := context.WithTimeout(ctx, mostCalm)
	defer cancel()
	var watching sync.WaitGroup
	defer watching.Wait()
	defer cancel()
	sent, ended := make(chan struct{}, len(flights)), make(chan struct{}, len(flights))
	for _, f := range flights {
		watching.Go(func() {
			if f.Sending(ctx) {
				sent <- struct{}{}
			}
			select {
			case <-f.Done():
				ended <- struct{}{}
			case <-ctx.Done():
			}
		})
	}
	quiet := time.NewTimer(calm)
	defer quiet.Stop()
	for open := len(flights); open > 1; {
		select {
		case <-sent:
			quiet.Reset(calm)
		case <-ended:
			open--
			quiet.Reset(calm)
		case <-quiet.C:
			return
		case <-ctx.Done():
			return
		}
	}
}
