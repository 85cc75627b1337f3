package storm

import "time"

// Schema names the version of the file format.
const Schema = "oncespec.storm/v1"

// Schedule is everything the harness does in one storm.
type Schedule struct {
	Schema    string `json:"schema"`
	Operation string `json:"operation"`
	Seed      uint64 `json:"seed"`            // that it was drawn with; a schedule that was made smaller does not follow from it
	Calls     []Call `json:"calls"`           // each client makes its own in this order
	Blows     []Blow `json:"blows,omitempty"` // to the target itself, in this order
}

// Call is one client's wish to have an intent done: it sends, and sends again as a good client does, until it has a result.
type Call struct {
	Client  int     `json:"client"`            // from 1
	Intent  int     `json:"intent"`            // from 1; calls of one intent share key and payload
	Changed bool    `json:"changed,omitempty"` // another payload under the intent's key, sent once its own has a result
	Faults  []Fault `json:"faults,omitempty"`  // of the call's attempts in turn; further attempts have none. A fault that could not act on its attempt, since a kill came first, passes to the next
}

// Fault is what happens to the connection of one attempt.
type Fault struct {
	Kind     Kind  `json:"kind"`
	Bytes    int64 `json:"bytes,omitempty"`    // cut: how much of the answer is let through
	Status   int   `json:"status,omitempty"`   // gateway: what an intermediary answers
	Attempts int   `json:"attempts,omitempty"` // delay: the answer is held back until so many further attempts have begun
}

// Kind of a fault or blow.
type Kind string

// The faults of connections.
const (
	None    Kind = "none"
	Drop    Kind = "drop"    // the answer is dropped when it begins
	Cut     Kind = "cut"     // the answer breaks off
	Reset   Kind = "reset"   // the connection is reset instead of an answer
	Gateway Kind = "gateway" // an intermediary's error instead of the answer
	Delay   Kind = "delay"   // the answer comes late
)

// The blows.
const (
	Kill  Kind = "kill"  // SIGKILL, then started again
	Pause Kind = "pause" // SIGSTOP, and SIGCONT once every client waits
)

// Faults are the kinds that a connection can suffer, in reading order.
var Faults = []Kind{Drop, Cut, Reset, Gateway, Delay}

// Blows are the kinds that can strike it.
var Blows = []Kind{Kill, Pause}

// Blow strikes the target when so many attempts have begun.
type Blow struct {
	Kind    Kind `json:"kind"`
	Attempt int  `json:"attempt"`
	Held    int  `json:"held,omitempty"`   // kill: strike when the gate holds so many downstream calls, where there is a gate
	Booked  int  `json:"booked,omitempty"` // kill: of these, so many are held when they are booked, the others before
}

// Clients is how many clients the schedule has.
func (s *Schedule) Clients() (n int) {
	for _, c := range s.Calls {
		n = max(n, c.Client)
	}
	return n
}

// Intents is how many intents it has.
func (s *Schedule) Intents() (n int) {
	for _, c := range s.Calls {
		n = max(n, c.Intent)
	}
	return n
}

// Length says how much storm there is.
type Length struct {
	Operations int           `json:"operations"`    // calls on each operation; 0: as many as fit into For
	For        time.Duration `json:"for,omitempty"` // on each operation; 0: Operations says
}

// Order is what to play: a length, or one schedule a number of times.
type Order struct {
	Length
	Schedule *Schedule // played as it is, and not made smaller
	Times    int
	Shrink   time.Duration // how long a schedule that fails is made smaller; 0: UsualShrink
}

// UsualShrink is how long a schedule that fails is made smaller when nobody says.
const UsualShrink = 10 * time.Second

// Usual is the length of a storm when nobody says.
const Usual = 32

// Round is how many calls are drawn, played and judged together. A longer storm is several rounds.
const Round = 40
