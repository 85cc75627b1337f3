package rule

import (
	"math"

	"github.com/oncespec/oncespec/scenarios/history"
)

// Held tells when the intent's downstream call was held at the gate, in microseconds since the run began: from when it had
// arrived until it was let go, or for ever. Not ok: no call of the intent was seen to be held.
func Held(h *history.History, intent string) (from, until int64, ok bool) {
	for _, e := range h.Events {
		switch {
		case e.Fault == nil || e.Fault.Intent != "" && e.Fault.Intent != intent:
		case e.Fault.Kind == "hold" && e.Fault.Landed && !ok:
			from, until, ok = e.At, math.MaxInt64, true
		case e.Fault.Kind != "hold" && ok && until == math.MaxInt64:
			until = e.At // released, failed, dropped, or the target is dead
		}
	}
	return from, until, ok
}
