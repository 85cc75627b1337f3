package race

import (
	"fmt"
	"math"
	"strings"

	"github.com/oncespec/oncespec/scenarios/history"
)

// seenWell is the chance of detection at which a window counts as one that would have been seen.
const seenWell = 0.95

// detection is the power of the bursts of several histories: what the known-racy server showed when it was raced by the same
// rung.
type detection struct {
	power   *history.Power
	distant bool // duplicates went to different instances, and the measurement, of a single server, says nothing about them
	alike   int  // bursts by that rung, with as many keys and requests as were measured or more, that truly overlapped
}

// add takes in a burst.
func (d *detection) add(h *history.History, b *history.Burst) {
	if h.Power == nil || len(h.Intents) == len(b.Attempts) {
		return // no two of its requests are duplicates
	}
	if d.power == nil {
		d.power = h.Power
	}
	switch away, several := apart(h, b), d.power.Replicas > 1; {
	case away && !several:
		d.distant = true
		return
	case several && !away:
		return // nor does that between replicas about one of them
	}
	if b.Rung == d.power.Rung && d.power.Keys > 0 && keysThatMet(h, b, d.power.Requests/d.power.Keys) >= d.power.Keys {
		d.alike++
	}
}

// apart tells whether duplicates of one intent were sent to different instances.
func apart(h *history.History, b *history.Burst) bool {
	at := map[string]int{}
	for _, a := range burst(h, b) {
		if first, known := at[a.Intent]; known && first != a.Replica {
			return true
		}
		at[a.Intent] = a.Replica
	}
	return false
}

// keysThatMet counts the keys of a burst with which so many requests or more were in flight at one moment.
func keysThatMet(h *history.History, b *history.Burst, each int) (met int) {
	all := burst(h, b)
	for _, in := range h.Intents {
		together := 0
		for _, a := range all {
			together = max(together, inFlightWith(a, in.ID, all))
		}
		if together >= each {
			met++
		}
	}
	return met
}

// inFlightWith counts the intent's attempts, the given one included, that the target had whole and not begun to answer when it got
// this one.
func inFlightWith(a *history.Attempt, intent string, all []*history.Attempt) (n int) {
	if a.Intent != intent {
		return 0
	}
	for _, other := range all {
		if other.Intent == intent && during(a, other) {
			n++
		}
	}
	return n
}

// besides tells whether the target had both requests whole at one moment, and had begun to answer neither.
func besides(a, b *history.Attempt) bool { return during(a, b) || during(b, a) }

// during tells whether the target had the first request whole while it had the other, not yet answered.
func during(a, other *history.Attempt) bool {
	at, from, to := a.Link.LastRequestAt, other.Link.LastRequestAt, other.Link.FirstByteAt
	if to == 0 {
		to = other.Ended
	}
	return a.Link.RequestWhole && other.Link.RequestWhole && from > 0 && from <= at && at <= to
}

// says states in words what would have been seen; empty where nothing is known.
func (d *detection) says() string {
	if d.power == nil {
		return ""
	}
	parts := []string{"brought together by " + d.power.Rung}
	if d.power.Replicas > 1 && len(d.power.Windows) > 0 {
		parts[0] += fmt.Sprintf(", measured between %d replicas on one store, the way to which makes each window longer", d.power.Replicas)
	}
	if d.distant {
		parts = append(parts, "how short a window between replicas would have been seen was not measured")
		if d.alike == 0 {
			return strings.Join(parts, "; ")
		}
	}
	for _, busy := range []bool{false, true} {
		if text := d.window(busy); text != "" {
			parts = append(parts, text)
		}
	}
	if d.power.Unmeasured != "" {
		parts = append(parts, "detection power: "+d.power.Unmeasured)
	}
	return strings.Join(parts, "; ")
}

// window speaks of the shortest window that would have been seen well, else of the longest that was tried.
func (d *detection) window(busy bool) string {
	var best *history.PowerWindow
	for i := range d.power.Windows {
		w := &d.power.Windows[i]
		if w.Busy != busy || w.Rounds == 0 {
			continue
		}
		if best = w; d.chance(*w) >= seenWell {
			break
		}
	}
	if best == nil {
		return ""
	}
	kind := "windows"
	if busy {
		kind = "windows spent computing"
	}
	length := fmt.Sprintf("%d µs", best.US)
	if best.US >= 1000 {
		length = fmt.Sprintf("%d ms", best.US/1000)
	}
	if d.alike == 0 {
		return fmt.Sprintf("no burst here was like those of the measurement, one of which (%s) sees %s of %s with probability %.2f or more",
			d.load(), kind, length, best.Floor)
	}
	return fmt.Sprintf("%s of %s or more would have been seen with probability %.2f or more (%s of %s; of the known-racy server %d of %d found it)",
		kind, length, d.chance(*best), counted(d.alike, "burst"), d.load(), best.Hits, best.Rounds)
}

// load is what was measured, in words.
func (d *detection) load() string {
	return fmt.Sprintf("%s, %d requests each", counted(d.power.Keys, "key"), d.power.Requests/max(1, d.power.Keys))
}

func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// chance that at least one of the bursts would have seen the window, rounded down.
func (d *detection) chance(w history.PowerWindow) float64 {
	return math.Floor(100*(1-math.Pow(1-w.Floor, float64(d.alike)))) / 100
}
