package burst

import (
	"context"
	"slices"
	"sync"
	"time"
)

// Shot is one request that only waits to be sent.
type Shot struct {
	// Send sends it and waits for the answer. It runs when the barrier opens, notes its times in the flight, and returns when the
	// context ends.
	Send func(ctx context.Context, f *Flight)
	// Delivered is closed when the target has received the whole request; nil where that cannot be observed.
	Delivered <-chan struct{}
}

// Flight is what became of a shot. Times carry a monotonic reading.
type Flight struct {
	// Released is when the barrier let the shot go, Ended when it returned.
	Released, Ended time.Time
	// Written is when the request was fully written, Answered when the first byte of the answer arrived. The shot sets both;
	// zero is never.
	Written, Answered time.Time
	// Err is what kept the shot from being answered. The shot sets it.
	Err error
}

// Volley is what became of a burst.
type Volley struct {
	Flights []Flight // in the order of the shots
	// Delivered is how many whole requests the target had received when the rung let it go; 0 where the rung holds nothing.
	Delivered int
	// LetGo is when that was; zero where the rung holds nothing.
	LetGo time.Time
	// Err is why the rung could not do its part. The shots were fired all the same, by the barrier alone.
	Err error
}

// Fire lets all shots go at once, with the rung around them, and returns when the last one has ended.
func Fire(ctx context.Context, rung Rung, shots []Shot) Volley {
	v := Volley{Flights: make([]Flight, len(shots))}
	barrier := make(chan struct{})
	over := make([]chan struct{}, len(shots))
	var ready, ended sync.WaitGroup
	ready.Add(len(shots))
	for i, shot := range shots {
		over[i] = make(chan struct{})
		ended.Go(func() {
			defer close(over[i])
			f := &v.Flights[i]
			ready.Done()
			<-barrier
			f.Released = time.Now()
			shot.Send(ctx, f)
			f.Ended = time.Now()
		})
	}
	ready.Wait()
	if len(shots) > 0 {
		v.Err = rung.arm(ctx)
	}
	close(barrier)
	if rung.holds() && v.Err == nil && len(shots) > 0 {
		there := await(ctx, shots, over)
		v.LetGo = time.Now()
		v.Err = rung.letGo(ctx, &ended)
		ended.Wait() // the flights are the shots' own until then
		v.arrived(there)
	}
	ended.Wait()
	if rung.End != nil && len(shots) > 0 {
		rung.End()
	}
	return v
}

// arrived fills in Written for the shots whose requests the target had when the rung let go, whatever the shots noted
// themselves.
func (v *Volley) arrived(there []bool) {
	for i := range there {
		if !there[i] {
			continue
		}
		v.Delivered++
		if f := &v.Flights[i]; f.Written.IsZero() || f.Written.After(v.LetGo) {
			f.Written = v.LetGo
		}
	}
}

// await waits until the target has every request, and tells which ones it has. It does not wait for shots that ended, or whose
// arrival cannot be observed.
func await(ctx context.Context, shots []Shot, over []chan struct{}) (there []bool) {
	ctx, cancel := context.WithTimeout(ctx, holdLimit)
	defer cancel()
	there = make([]bool, len(shots))
	for i, shot := range shots {
		if shot.Delivered == nil {
			continue
		}
		select {
		case <-shot.Delivered:
			there[i] = true
			continue
		default:
		}
		select {
		case <-shot.Delivered:
			there[i] = true
		case <-over[i]:
		case <-ctx.Done():
		}
	}
	return there
}

// Overlap is the largest number of flights that were in the air at one moment: the request written whole, the answer not
// begun. A burst that went one by one has 1, one of which no request was ever written whole has 0.
func Overlap(flights []Flight) int {
	type turn struct {
		at    time.Time
		delta int
	}
	var turns []turn
	for _, f := range flights {
		if from, to, ok := f.air(); ok {
			turns = append(turns, turn{from, +1}, turn{to, -1})
		}
	}
	slices.SortFunc(turns, func(a, b turn) int {
		if c := a.at.Compare(b.at); c != 0 {
			return c
		}
		return a.delta - b.delta // one that lands as another starts was not in the air with it
	})
	most, now := 0, 0
	for _, t := range turns {
		now += t.delta
		most = max(most, now)
	}
	return most
}

// Overlapped is the number of flights that were in the air together with at least one other.
func Overlapped(flights []Flight) int {
	count := 0
	for i, f := range flights {
		for j, other := range flights {
			if i != j && f.meets(other) {
				count++
				break
			}
		}
	}
	return count
}

func (f Flight) meets(other Flight) bool {
	from, to, flew := f.air()
	start, end, otherFlew := other.air()
	return flew && otherFlew && from.Before(end) && start.Before(to)
}

// air is the time in which the target had the whole request and had not begun to answer.
func (f Flight) air() (from, to time.Time, ok bool) {
	to = f.Answered
	if to.IsZero() {
		to = f.Ended
	}
	return f.Written, to, !f.Written.IsZero() && f.Written.Before(to)
}
