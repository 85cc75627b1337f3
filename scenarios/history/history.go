package history

import "github.com/oncespec/oncespec/scenarios/storm"

// Schema names the version of the file format.
const Schema = "oncespec.history/v1"

// History is one trial of one scenario.
type History struct {
	Schema     string   `json:"schema"`
	ID         string   `json:"id"`              // unique in a run and the stem of its file: "lost-response.create-ticket.1"
	Scenario   string   `json:"scenario"`        // "lost/response"
	Operations []string `json:"operations"`      // the subject first
	Trial      string   `json:"trial,omitempty"` // what tells this trial from the scenario's others: "n=8"
	Seed       uint64   `json:"seed"`

	Capabilities []string          `json:"capabilities"`      // needs that the target offered for the subject
	Units        map[string]string `json:"units,omitempty"`   // by value probe: the change one unfaulted execution makes, a decimal
	LagMS        int64             `json:"lag_ms"`            // how long an effect took to become visible in the steady state
	Rewrite      *Rewrite          `json:"rewrite,omitempty"` // the pair of requests that this trial is about
	Screen       []Rewrite         `json:"screen,omitempty"`  // the pairs that share one A: the attempts labelled b1, b2 … are their B's
	Storm        *Storm            `json:"storm,omitempty"`   // what was played in this trial
	Rung         string            `json:"rung,omitempty"`    // how simultaneous requests were brought together
	Power        *Power            `json:"power,omitempty"`   // what that rung can see, as measured before
	Tries        int               `json:"tries,omitempty"`   // 1 unless a fault had to be tried again to land
	Aborted      string            `json:"aborted,omitempty"` // why the procedure could not go on; nothing may be concluded from what is missing
	Blame        string            `json:"blame,omitempty"`   // with Aborted: environment or harness

	Intents []Intent `json:"intents"`
	Events  []Event  `json:"events"`
}

// Intent is one thing a caller wants done once.
type Intent struct {
	ID        string   `json:"id"` // "i1"
	Operation string   `json:"operation"`
	Tenant    string   `json:"tenant,omitempty"`
	Key       string   `json:"key"`
	Markers   []string `json:"markers,omitempty"` // unique values that find its effects
	TwinOf    string   `json:"twin_of,omitempty"` // shares payload and markers with this intent, under a key of its own
	Isolation string   `json:"isolation"`         // marker | parent | exclusive
}

// Rewrite names the pair of requests A (label "first") and B (label "rewritten") of a trial.
type Rewrite struct {
	ID       string `json:"id"`
	At       string `json:"at,omitempty"`       // a JSON Pointer or ?NAME; empty: the whole request
	Prepared bool   `json:"prepared,omitempty"` // A's body is not the sample's: values may move by another amount
	Guess    bool   `json:"guess,omitempty"`    // nobody declared that this place may change
}

// Storm is the schedule of a trial, and what came of playing it again. Its intents are "i1" for the schedule's intent 1, and
// so on.
type Storm struct {
	Schedule *storm.Schedule `json:"schedule"`
	From     string          `json:"from,omitempty"`   // the history whose schedule was made smaller
	Failed   int             `json:"failed,omitempty"` // how often it failed
	Plays    int             `json:"plays,omitempty"`  // of how often it was played in all
}

// Event is one entry; exactly one of the pointers is set.
type Event struct {
	Seq int   `json:"seq"`
	At  int64 `json:"at_us"` // microseconds since the run began

	Attempt     *Attempt     `json:"attempt,omitempty"`
	Observation *Observation `json:"observation,omitempty"`
	Fault       *Fault       `json:"fault,omitempty"`
	Status      *Status      `json:"status,omitempty"`
	Burst       *Burst       `json:"burst,omitempty"`
	Note        string       `json:"note,omitempty"`
}

// Outcomes of an attempt.
const (
	Answered = "answered" // a whole answer arrived
	Lost     = "lost"     // it left, and no whole answer came back
	Unsent   = "unsent"   // it never reached the target
)

// Slowed is the label of an attempt that was only asked to slow down. Another one under the label that it would have had
// follows; it counts for nothing itself.
const Slowed = "slowed"

// Attempt is one request sent for an intent. Its event's place in the order is where its outcome became known.
type Attempt struct {
	ID       int     `json:"id"`
	Intent   string  `json:"intent"`
	Label    string  `json:"label"` // its part in the procedure: "first", "retry", "changed", "control", "duplicate"
	Tenant   string  `json:"tenant,omitempty"`
	Replica  int     `json:"replica,omitempty"` // the instance it went to: 0 is target.url
	Variant  string  `json:"variant,omitempty"` // the rewrite or change it carries; empty: the intent's own payload
	Fault    string  `json:"fault,omitempty"`   // what was planned for its connection
	Call     int     `json:"call,omitempty"`    // of a storm's schedule, from 1
	Request  Request `json:"request"`
	Began    int64   `json:"began_us"`
	Ended    int64   `json:"ended_us"`
	Outcome  string  `json:"outcome"`
	Reason   string  `json:"reason,omitempty"`    // with lost or unsent
	TimedOut bool    `json:"timed_out,omitempty"` // the client's time limit passed before the answer was whole
	Answer   *Answer `json:"answer,omitempty"`    // also on a cut answer, as far as it came
	Link     Link    `json:"link"`
	Replaced bool    `json:"replaced,omitempty"` // the answer is an intermediary's, not the target's
	Idle     bool    `json:"idle,omitempty"`     // nothing else can have been under way under its key: it is the key's only attempt so far, or it was refused exactly as that one was
}

// Request is what was put on the wire, redacted.
type Request struct {
	Method string      `json:"method"`
	URL    string      `json:"url"`
	Header [][2]string `json:"header"` // in order, names as sent
	Body   Body        `json:"body"`
}

// Answer is what came back, redacted.
type Answer struct {
	Status int                 `json:"status"`
	Header map[string][]string `json:"header"` // canonical names
	Body   Body                `json:"body"`
}

// Body is a bounded head of a message body. Length and SHA256 describe the whole body before redaction.
type Body struct {
	Text      string `json:"text,omitempty"`   // valid UTF-8
	Base64    string `json:"base64,omitempty"` // anything else
	Length    int64  `json:"length"`
	SHA256    string `json:"sha256,omitempty"`
	Truncated bool   `json:"truncated,omitempty"`
}

// Link is the proof of what passed on the attempt's connection.
type Link struct {
	Through        string `json:"through,omitempty"`         // the remote Toxiproxy between this link and the target: bytes counted here are known to have reached the target only where it answered
	Reached        bool   `json:"reached"`                   // a connection to the target was opened
	RequestBytes   int64  `json:"request_bytes"`             // forwarded to the target
	RequestWhole   bool   `json:"request_whole"`             // all of the request was forwarded
	ResponseBytes  int64  `json:"response_bytes"`            // seen from the target
	ForwardedBytes int64  `json:"forwarded_bytes"`           // let through to the client
	FirstByteAt    int64  `json:"first_byte_us,omitempty"`   // when the answer began at the target's side; 0: never
	LastRequestAt  int64  `json:"last_request_us,omitempty"` // when the last request byte was forwarded; 0: never
	Cut            bool   `json:"cut,omitempty"`             // the planned fault acted
	Held           bool   `json:"held,omitempty"`            // the answer was kept back for a while
}

// Kinds of state probes.
const (
	Resource = "resource" // things that can be counted
	Value    = "value"    // a number that moves
	Ledger   = "ledger"   // bookings at the downstream gate
)

// Observation is the target's state, seen through one probe for one intent.
type Observation struct {
	Intent string   `json:"intent"`
	Probe  string   `json:"probe"` // unique within the operation: "http", "value", "sql", "command", "downstream", numbered when repeated
	Kind   string   `json:"kind"`
	Moment string   `json:"moment"`          // "before", "held", "after", "final", or the procedure's own word
	Count  int      `json:"count"`           // effects of this intent, by this probe
	IDs    []string `json:"ids,omitempty"`   // of the resources found
	Value  string   `json:"value,omitempty"` // value probes: the reading, a decimal
	Odd    string   `json:"odd,omitempty"`   // value probes: the change where it is no whole number of executions
	Calls  []Call   `json:"calls,omitempty"` // ledger: every call that belongs to the intent so far
	Error  string   `json:"error,omitempty"` // the probe could not be read; Count means nothing
	Extra  bool     `json:"extra,omitempty"` // the harness added the probe: an effect too many counts against the target, a missing one does not
}

// Call is one call that the target made downstream.
type Call struct {
	Seq     int    `json:"seq"`
	At      int64  `json:"at_us"`
	Method  string `json:"method"`
	Path    string `json:"path"`
	Key     string `json:"key,omitempty"`     // the downstream key it carried
	Booked  bool   `json:"booked"`            // it made a new booking
	Repeat  bool   `json:"repeat"`            // answered from an earlier booking under its key
	Lookup  bool   `json:"lookup"`            // it only asked
	Status  int    `json:"status"`            // what the gate answered; 0: nothing
	Refused string `json:"refused,omitempty"` // why the gate itself would not take it, such as another payload under a key that is booked
}

// Phases of an operation that a kill or a hold can hit, as observed.
const (
	BeforeClaim  = "before-claim"
	AfterClaim   = "after-claim"  // claimed, no effect yet
	AfterEffect  = "after-effect" // an effect exists, the result is not recorded
	AfterRecord  = "after-record" // the answer had begun, or the state reads final
	PhaseUnknown = "unknown"
)

// Fault is something done to the target or to what it depends on.
type Fault struct {
	Kind     string   `json:"kind"` // one of FaultKinds
	Intent   string   `json:"intent,omitempty"`
	Instance int      `json:"instance,omitempty"` // the instance it was done to: 0 is target.url
	Given    int64    `json:"given_us,omitempty"` // kill, stop, resume: when it was told to; the event is when it was seen to have happened
	Landed   bool     `json:"landed"`             // seen to have happened
	Phase    string   `json:"phase,omitempty"`    // of the intent at that moment, as observed
	Evidence []string `json:"evidence,omitempty"` // what the phase was read from
	Forced   bool     `json:"forced,omitempty"`   // stop: it had to be killed after the grace
	Moved    int64    `json:"moved_us,omitempty"` // clock: how far the target's time was moved forward; steps: how long it stood still between them, in microseconds
	Detail   string   `json:"detail,omitempty"`
}

// States that a status probe maps to.
const (
	InProgress  = "in_progress"
	Succeeded   = "succeeded"
	Failed      = "failed"
	UnknownDone = "unknown"
	Absent      = "absent"
)

// Status is one reading of an operation's status resource.
type Status struct {
	Intent string  `json:"intent"`
	Moment string  `json:"moment"`
	Tenant string  `json:"tenant,omitempty"`
	HTTP   int     `json:"http"`          // status of the answer, 0: none
	State  string  `json:"state"`         // mapped; empty: could not be read or is no known state
	Raw    string  `json:"raw,omitempty"` // as the target spells it
	Answer *Answer `json:"answer,omitempty"`
	Error  string  `json:"error,omitempty"`
}

// Burst sums up simultaneous attempts.
type Burst struct {
	Label      string `json:"label"` // of its attempts
	Attempts   []int  `json:"attempts"`
	Rung       string `json:"rung"`
	AtStore    int    `json:"at_store,omitempty"` // most connections between target and database that waited for an answer, held, at one moment
	Delivered  int    `json:"there,omitempty"`    // had by the target, whole, when the rung let it go; 0 where it holds nothing
	Together   int    `json:"together"`           // most in flight at one moment
	Overlapped int    `json:"overlapped"`         // how many overlapped at least one other
	Strong     bool   `json:"strong"`             // seen at the target's own work (a held call), not only as flights
}
