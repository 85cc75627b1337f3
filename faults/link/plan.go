package link

import (
	"errors"
	"fmt"
	"time"
)

// Plan says what happens to every connection of a wire. The zero value forwards everything and counts.
//
// At most one of DropResponse, CutResponse, ResetResponse and ReplaceResponse may be set. HoldResponse goes with any of them:
// the response is held first, and meets its fate when released. Faults on the request go with any fault on the response.
type Plan struct {
	// DropResponse closes the client's connection when the first response byte arrives. The client reads 0 bytes, then EOF.
	DropResponse bool
	// CutResponse forwards this many response bytes and closes the client's connection when one more arrives. 0 is no cut.
	CutResponse int64
	// ResetResponse resets the client's connection (TCP RST) when the first response byte arrives.
	ResetResponse bool
	// ReplaceResponse is sent to the client, and its connection closed, when the first response byte arrives: what an
	// intermediary says when it has lost the answer. Empty is no replacement.
	ReplaceResponse []byte
	// HoldResponse keeps back the response from its first byte on, until Wire.Release.
	HoldResponse bool

	// CutRequest forwards this many request bytes and closes both sides when one more arrives. 0 is no cut.
	CutRequest int64
	// HangUpAfter forwards this many request bytes and closes both sides at once, whether or not more arrives, as a client
	// does that leaves. Closing here leaves no gap in which the upstream is ahead. 0 does not.
	HangUpAfter int64
	// DribbleRequest forwards the request in small slices.
	DribbleRequest Dribble
}

// Dribble slows a request down: Slice bytes at a time, with Pause after each. The zero value does not.
type Dribble struct {
	Slice int
	Pause time.Duration
}

func (p Plan) check() error {
	if p.CutResponse < 0 || p.CutRequest < 0 || p.HangUpAfter < 0 || p.DribbleRequest.Slice < 0 || p.DribbleRequest.Pause < 0 {
		return errors.New("plan: a cut, a slice or a pause is negative; 0 switches it off")
	}
	if p.DribbleRequest.Pause > 0 && p.DribbleRequest.Slice == 0 {
		return errors.New("plan: a dribble pauses but has no slice size; give the bytes to forward between pauses")
	}
	if p.CutRequest > 0 && p.HangUpAfter > 0 {
		return errors.New("plan: the request is both cut and whole; choose one of cut and hang-up")
	}
	set := 0
	for _, on := range []bool{p.DropResponse, p.CutResponse > 0, p.ResetResponse, len(p.ReplaceResponse) > 0} {
		if on {
			set++
		}
	}
	if set > 1 {
		return fmt.Errorf("plan: %d fates for one response; choose one of drop, cut, reset and replace", set)
	}
	return nil
}

// withholds reports whether the plan takes the response, or its end, away from the client.
func (p Plan) withholds() bool {
	return p.DropResponse || p.CutResponse > 0 || p.ResetResponse || len(p.ReplaceResponse) > 0
}
