package contract

import (
	"fmt"
	"time"
)

// Contract is a profile with its overrides applied. Every field maps to one parameter of the `contract:` block.
type Contract struct {
	Profile          string        `json:"profile" yaml:"profile"`
	Name             string        `json:"name" yaml:"name"` // request header that carries the key
	Key              Key           `json:"key" yaml:"key"`
	Missing          Response      `json:"missing" yaml:"missing"`                       // a write without a key: refuse | execute
	Malformed        Response      `json:"malformed" yaml:"malformed"`                   // a key that breaks Key: refuse | ignore | accept
	Scope            []Scope       `json:"scope,omitzero" yaml:"scope"`                  // what a key is unique within; empty = unspecified
	OtherOperation   Response      `json:"other_operation" yaml:"other_operation"`       // used key on another route or method: independent | refuse
	Fingerprint      Fingerprint   `json:"fingerprint" yaml:"fingerprint"`               // which parts of a request make it another one
	Mismatch         Response      `json:"mismatch" yaml:"mismatch"`                     // used key, changed payload: refuse | replay | execute
	MismatchInFlight string        `json:"mismatch_in_flight" yaml:"mismatch_in_flight"` // mismatch | in-flight | either
	InFlight         InFlight      `json:"in_flight" yaml:"in_flight"`                   // duplicate while the first runs
	Fidelity         Fidelity      `json:"fidelity" yaml:"fidelity"`
	Volatile         []string      `json:"volatile,omitempty" yaml:"volatile"` // JSON Pointers into the answer that may differ in a replay
	Marker           Marker        `json:"marker" yaml:"marker"`
	Stored           Stored        `json:"stored" yaml:"stored"`
	FailedRetry      string        `json:"failed_retry" yaml:"failed_retry"`                // after a failed first attempt: replay | execute | resume
	Lifetime         time.Duration `json:"lifetime,omitempty" yaml:"lifetime"`              // how long a completed operation replays, from its completion; 0 = unspecified
	Expired          Response      `json:"expired,omitzero" yaml:"expired"`                 // a key used again after its lifetime: execute | refuse
	Errors           string        `json:"errors" yaml:"errors"`                            // how refusals explain themselves: problem+json | link | either | vendor
	UnknownAnswers   []int         `json:"unknown_answers,omitzero" yaml:"unknown_answers"` // statuses that leave the outcome unknown; 502, 503 and 504 where it is left out
	Recovery         Recovery      `json:"recovery" yaml:"recovery"`
	Sourced          string        `json:"sourced,omitempty" yaml:"sourced"` // how well the profile is known: full text, documentation, …
}

// Response is the declared reaction to one situation. An empty Action is unspecified; empty Statuses accept any 4xx.
type Response struct {
	Action   string `json:"action,omitempty" yaml:"action"`
	Statuses []int  `json:"statuses,omitempty" yaml:"statuses"`
	Code     string `json:"code,omitempty" yaml:"code"` // a machine-readable error code found anywhere in the body
}

// Refusals says in words which answers are admitted as the refusal.
func (r Response) Refusals() string {
	text := "any 4xx"
	if len(r.Statuses) > 0 {
		text = fmt.Sprint(r.Statuses)
	}
	if r.Code != "" {
		text += " with the code " + r.Code
	}
	return text
}

// InFlight is the declared reaction to a duplicate of a request that still runs.
type InFlight struct {
	Action     string `json:"action,omitempty" yaml:"action"` // refuse | wait | either
	Statuses   []int  `json:"statuses,omitempty" yaml:"statuses"`
	Code       string `json:"code,omitempty" yaml:"code"`
	RetryAfter bool   `json:"retry_after,omitempty" yaml:"retry_after"` // the refusal carries Retry-After
}

// Key is the syntax of an acceptable key.
type Key struct {
	Encoding string `json:"encoding,omitempty" yaml:"encoding"` // structured-field (RFC 9651 string) | opaque | both
	Format   string `json:"format,omitempty" yaml:"format"`     // any | uuid | uuid4 | pattern
	Pattern  string `json:"pattern,omitempty" yaml:"pattern"`   // RE2, for format: pattern
	Min      int    `json:"min,omitempty" yaml:"min"`           // characters; 0 = unspecified
	Max      int    `json:"max,omitempty" yaml:"max"`           // characters; 0 = unspecified
}

// Scope names one thing a key is unique within.
type Scope string

// The scopes that rules act on. Global excludes all others.
const (
	Global  Scope = "global"
	Account Scope = "account"
	Method  Scope = "method"
	Route   Scope = "route"
)

// Fingerprint declares which differences make a request another one. Empty values are unspecified.
type Fingerprint struct {
	Mode          string   `json:"mode,omitempty" yaml:"mode"`                     // semantic | raw | none
	Fields        []string `json:"fields,omitempty" yaml:"fields"`                 // JSON Pointers into the body: nothing else of it counts; empty: all of it does
	Exclude       []string `json:"exclude,omitempty" yaml:"exclude"`               // JSON Pointers into the body that do not count
	Headers       []string `json:"headers,omitempty" yaml:"headers"`               // header names that count
	Sets          []string `json:"sets,omitempty" yaml:"sets"`                     // JSON Pointers to arrays whose order does not count
	Query         string   `json:"query,omitempty" yaml:"query"`                   // counts | ignored
	Absence       string   `json:"absence,omitempty" yaml:"absence"`               // null and absent: distinct | equal
	Defaults      string   `json:"defaults,omitempty" yaml:"defaults"`             // absent and the default: distinct | equal
	Unknown       string   `json:"unknown_fields,omitempty" yaml:"unknown_fields"` // counts | ignored | refused
	Normalisation string   `json:"normalisation,omitempty" yaml:"normalisation"`   // none | nfc
}

// Fidelity says how close a replay comes to the first answer.
type Fidelity string

// Fidelities from weakest to strongest; each includes the ones before it.
const (
	FidelityEffect   Fidelity = "effect"
	FidelityResource Fidelity = "resource" // names the same resource
	FidelityBody     Fidelity = "status+body"
	FidelityHeaders  Fidelity = "status+body+headers"
)

// OnlyEffect tells whether no more is promised than the effect: every duplicate may be refused. An unspecified fidelity
// promises no more.
func (f Fidelity) OnlyEffect() bool { return f == "" || f == FidelityEffect }

// CoversBody tells whether a replay has the first answer's status and body.
func (f Fidelity) CoversBody() bool { return f == FidelityBody || f == FidelityHeaders }

// Marker is a response header that tells a replay from a first answer.
type Marker struct {
	Name    string `json:"name,omitempty" yaml:"name"`         // empty: no marker
	Value   string `json:"value,omitempty" yaml:"value"`       // on replays; empty accepts any but "false"
	OnFirst string `json:"on_first,omitempty" yaml:"on_first"` // absent | false | same; default absent
}

// Stored says which failures are kept and answered again: yes | no | "" (unspecified).
type Stored struct {
	ClientErrors string `json:"4xx,omitempty" yaml:"4xx"`
	ServerErrors string `json:"5xx,omitempty" yaml:"5xx"`
	Validation   string `json:"validation,omitempty" yaml:"validation"` // does a refused invalid payload consume the key
}

// Recovery bounds how long an operation may stay unresolved after a crash.
type Recovery struct {
	Within       time.Duration `json:"within,omitempty" yaml:"within"` // 0: the harness's recovery timeout
	StuckAllowed bool          `json:"stuck_allowed,omitempty" yaml:"stuck_allowed"`
}
