package config

import (
	"time"

	"github.com/oncespec/oncespec/mockapi/contract"
	"github.com/oncespec/oncespec/scenarios/rewrite"
)

// Config is oncespec.yaml. Its JSON Schema is generated from these types.
type Config struct {
	Target     Service               `json:"target" yaml:"target" jsonschema:"required"`
	Contract   contract.Contract     `json:"contract,omitempty" yaml:"contract"` // a profile with overrides applied
	Operations map[string]*Operation `json:"operations" yaml:"operations" jsonschema:"required,minProperties=1"`
	Timeouts   Timeouts              `json:"timeouts,omitempty" yaml:"timeouts"`
	AllowHosts []string              `json:"allow_hosts,omitempty" yaml:"allow_hosts"` // hosts beyond loopback; --allow-remote must be given too
	Limits     Limits                `json:"limits,omitempty" yaml:"limits"`

	Order []string `json:"-" yaml:"-"` // operation names as written in the file
	Path  string   `json:"-" yaml:"-"` // of the file; empty for the built-in mock
}

// Service is the API under test and what is around it.
type Service struct {
	Name       string             `json:"name,omitempty" yaml:"name"`
	URL        string             `json:"url" yaml:"url"`                       // may hold {port}, which the lifecycle chooses
	Tenants    map[string]*Tenant `json:"tenants,omitempty" yaml:"tenants"`     // principals; values may use ${ENV}
	Lifecycle  *Lifecycle         `json:"lifecycle,omitempty" yaml:"lifecycle"` // how to kill it and start it again
	Downstream *Downstream        `json:"downstream,omitempty" yaml:"downstream"`
}

// Tenant is a principal: the headers that prove who calls.
type Tenant struct {
	Default bool              `json:"default,omitempty" yaml:"default"`
	Headers map[string]string `json:"headers,omitempty" yaml:"headers"`
	Renewed map[string]string `json:"renewed,omitempty" yaml:"renewed"` // newer credentials of the same principal
}

// Lifecycle has exactly one of its fields set.
type Lifecycle struct {
	Process *Process `json:"process,omitempty" yaml:"process"`
	Hooks   *Hooks   `json:"hooks,omitempty" yaml:"hooks"`
}

// Process is a target that the run starts itself. {port} and {dir} are filled in; {dir} survives a restart.
type Process struct {
	Command []string          `json:"command" yaml:"command" jsonschema:"required,minItems=1"`
	Env     map[string]string `json:"env,omitempty" yaml:"env"`
	Dir     string            `json:"dir,omitempty" yaml:"dir"` // working folder, relative to the file
	Ready   Ready             `json:"ready,omitempty" yaml:"ready"`
}

// Hooks are shell commands that act on a target somebody else runs.
type Hooks struct {
	Start string `json:"start,omitempty" yaml:"start"`
	Kill  string `json:"kill" yaml:"kill" jsonschema:"required"`
	Stop  string `json:"stop,omitempty" yaml:"stop"`
	Ready Ready  `json:"ready,omitempty" yaml:"ready"`
}

// Ready tells when the target may be used; without a path an accepted connection is enough.
type Ready struct {
	HTTP   string        `json:"http,omitempty" yaml:"http"` // a path that answers 2xx
	Within time.Duration `json:"within,omitempty" yaml:"within"`
}

// Downstream is the gate: a stub of what the target calls while it works.
type Downstream struct {
	Listen string            `json:"listen" yaml:"listen" jsonschema:"required"` // host:port; port 0 is filled in as {downstream}
	Key    DownstreamKey     `json:"key,omitempty" yaml:"key"`
	Routes []DownstreamRoute `json:"routes,omitempty" yaml:"routes"` // default: every method and path books and answers 201
}

// DownstreamKey says where the target's calls carry their own idempotency key. At most one is set.
type DownstreamKey struct {
	Header string `json:"header,omitempty" yaml:"header"`
	Body   string `json:"body,omitempty" yaml:"body"` // JSON Pointer
	Query  string `json:"query,omitempty" yaml:"query"`
}

// DownstreamRoute is one call that the gate answers. Body is a template: {id} and {key} are filled in.
type DownstreamRoute struct {
	Method  string            `json:"method,omitempty" yaml:"method"`
	Path    string            `json:"path" yaml:"path" jsonschema:"required"` // "*" matches one segment, a trailing "**" the rest
	Status  int               `json:"status,omitempty" yaml:"status"`
	Headers map[string]string `json:"headers,omitempty" yaml:"headers"`
	Body    string            `json:"body,omitempty" yaml:"body"`
}

// Operation is one kind of write.
type Operation struct {
	Name    string                  `json:"-" yaml:"-"`
	Setup   []Step                  `json:"setup,omitempty" yaml:"setup"` // requests before each intent; a parent made here isolates it
	Request Request                 `json:"request" yaml:"request" jsonschema:"required"`
	Unique  []string                `json:"unique,omitempty" yaml:"unique"` // JSON Pointers, made unique for each intent, never varied
	Vary    map[string]rewrite.Vary `json:"vary,omitempty" yaml:"vary"`     // JSON Pointer → what may change; default: every other leaf by its type
	Effects []Effect                `json:"effects,omitempty" yaml:"effects"`
	Status  *StatusProbe            `json:"status,omitempty" yaml:"status"`
	Samples Samples                 `json:"samples,omitempty" yaml:"samples"`
	Alter   *Request                `json:"alter,omitempty" yaml:"alter"`                                                         // changes the created resource; {answer:/pointer} is the first answer
	Isolate string                  `json:"isolate,omitempty" yaml:"isolate" jsonschema:"enum=marker,enum=parent,enum=exclusive"` // default: marker where unique is given, else parent where setup is, else exclusive
}

// Step is a named setup request; later placeholders read its answer as {setup.NAME:/pointer}.
type Step struct {
	Name    string `json:"name" yaml:"name" jsonschema:"required"`
	Request `yaml:",inline"`
}

// Request is a template. Body (YAML, written as JSON), BodyText and BodyFile (spelling kept) exclude one another.
type Request struct {
	Method   string            `json:"method" yaml:"method" jsonschema:"required"`
	Path     string            `json:"path" yaml:"path" jsonschema:"required"` // with query; {key} here makes the path carry the identity
	Headers  map[string]string `json:"headers,omitempty" yaml:"headers"`
	Body     any               `json:"body,omitempty" yaml:"body"`
	BodyText string            `json:"body_text,omitempty" yaml:"body_text"`
	BodyFile string            `json:"body_file,omitempty" yaml:"body_file"`
}

// Effect is one way to see what a write did. Exactly one field is set.
type Effect struct {
	HTTP       *HTTPEffect    `json:"http,omitempty" yaml:"http"`
	Value      *ValueEffect   `json:"value,omitempty" yaml:"value"`
	SQL        *SQLEffect     `json:"sql,omitempty" yaml:"sql"`
	Command    *CommandEffect `json:"command,omitempty" yaml:"command"`
	Downstream *LedgerEffect  `json:"downstream,omitempty" yaml:"downstream"`
}

// HTTPEffect counts resources in a list that the target serves.
type HTTPEffect struct {
	Get   string `json:"get" yaml:"get" jsonschema:"required"`     // path and query; a query only narrows, items are matched here
	Items string `json:"items" yaml:"items" jsonschema:"required"` // JSONPath to the items
	ID    string `json:"id,omitempty" yaml:"id"`                   // JSONPath inside an item
	Next  string `json:"next,omitempty" yaml:"next"`               // JSONPath to the next page's URL, or null
}

// ValueEffect reads a number that every execution moves by the same amount.
type ValueEffect struct {
	Get string `json:"get" yaml:"get" jsonschema:"required"`
	At  string `json:"at" yaml:"at" jsonschema:"required"` // JSONPath to the number
}

// SQLEffect counts rows. Placeholders in the query are bound as parameters, never spliced in.
type SQLEffect struct {
	Driver string `json:"driver" yaml:"driver" jsonschema:"required,enum=postgres,enum=sqlite"`
	DSN    string `json:"dsn" yaml:"dsn" jsonschema:"required"`     // may use ${ENV} and {dir}
	Query  string `json:"query" yaml:"query" jsonschema:"required"` // its rows are the effects; the first column is their id
}

// CommandEffect counts the lines that a command prints; each line is an id.
type CommandEffect struct {
	Run    []string      `json:"run" yaml:"run" jsonschema:"required,minItems=1"`
	Within time.Duration `json:"within,omitempty" yaml:"within"`
}

// LedgerEffect counts bookings at the gate.
type LedgerEffect struct {
	Method string `json:"method,omitempty" yaml:"method"` // default: any
	Path   string `json:"path,omitempty" yaml:"path"`     // as in a route; default: any
}

// StatusProbe reads an operation's state with only what the caller already held.
type StatusProbe struct {
	Get       string              `json:"get" yaml:"get" jsonschema:"required"`
	State     string              `json:"state" yaml:"state" jsonschema:"required"` // JSONPath
	States    map[string][]string `json:"states,omitempty" yaml:"states"`           // in_progress, succeeded, failed, unknown → the target's words
	Reference string              `json:"reference,omitempty" yaml:"reference"`     // JSONPath to the result's id or link
}

// Samples are changes to the request's body (merged into it) that provoke a known refusal.
type Samples struct {
	Invalid map[string]any `json:"invalid,omitempty" yaml:"invalid"` // refused by validation
	Refused map[string]any `json:"refused,omitempty" yaml:"refused"` // refused by the business, for good
	Crash   map[string]any `json:"crash,omitempty" yaml:"crash"`     // breaks the handler: answered with a 5xx
}

// Timeouts bound every wait. Zero values are filled in.
type Timeouts struct {
	Request  time.Duration `json:"request,omitempty" yaml:"request"`   // one attempt; default 5s
	Settle   time.Duration `json:"settle,omitempty" yaml:"settle"`     // after the last sign of work, before the last count; default 300ms
	Recovery time.Duration `json:"recovery,omitempty" yaml:"recovery"` // a restarted target or a busy key; default 10s
}

// Limits cap what a run does to the target. Zero values are filled in.
type Limits struct {
	Rate     int           `json:"rate,omitempty" yaml:"rate"`         // requests a second, bursts excepted; 0: no limit on loopback, 50 elsewhere
	Objects  int           `json:"objects,omitempty" yaml:"objects"`   // intents; default 5000
	Duration time.Duration `json:"duration,omitempty" yaml:"duration"` // default 10m
}
