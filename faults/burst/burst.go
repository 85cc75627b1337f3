package burst

import (
	"context"
	"slices"
	"sync"
	"time"
)

// Shot is one request that only waits to be sent. It runs when the barrier opens, and notes its times in the flight.
// It must return when the context ends.
type Shot func(ctx context.Context, f *Flight)

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

// Fire lets all shots go at once and returns their flights, in the order of the shots, when the last one has ended.
func Fire(ctx context.Context, shots []Shot) []Flight {
	flights := make([]Flight, len(shots))
	barrier := make(chan struct{})
	var ready, ended sync.WaitGroup
	ready.Add(len(shots))
	for i, shot := range shots {
		ended.Go(func() {
			f := &flights[i]
			ready.Done()
			<-barrier
			f.Released = time.Now()
			shot(ctx, f)
			f.Ended = time.Now()
		})
	}
	ready.Wait()
	close(barrier)
	ended.Wait()
	return flights
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
