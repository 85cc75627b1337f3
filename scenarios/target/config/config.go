package config

import (
	"encoding/json"
	"time"

	"github.com/oncespec/oncespec/mockapi/contract"
	"github.com/oncespec/oncespec/scenarios/rewrite"
	"github.com/oncespec/oncespec/scenarios/schema"
)

// Config is oncespec.yaml. Its JSON Schema is generated from these types.
type Config struct {
	Target     Service               `json:"target" jsonschema:"required"`
	Contract   contract.Contract     `json:"contract,omitempty"` // a profile with overrides applied
	Operations map[string]*Operation `json:"operations" jsonschema:"required"`
	Timeouts   Timeouts              `json:"timeouts,omitempty"`
	AllowHosts []string              `json:"allow_hosts,omitempty"` // hosts beyond loopback; --allow-remote must be given too
	Limits     Limits                `json:"limits,omitempty"`
	Toxiproxy  *Toxiproxy            `json:"toxiproxy,omitempty"` // a server of somebody else's, for a target that only it reaches

	Order   []string          `json:"-"` // operation names as written in the file
	Path    string            `json:"-"` // of the file; empty for the built-in mock
	Env     map[string]string `json:"-"` // the environment variables that templates name
	Secrets []string          `json:"-"` // values that no output may show: environment variables, and what proves who a tenant is

	source *document // where everything stood, for later errors
}

// Service is the API under test and what is around it.
type Service struct {
	Name       string             `json:"name,omitempty"`
	URL        string             `json:"url" jsonschema:"required,minLength=1"` // a template: {port} is what the lifecycle chose
	Replicas   []string           `json:"replicas,omitempty"`                    // URLs of further instances on the same state; {port} is each one's own
	Tenants    map[string]*Tenant `json:"tenants,omitempty"`                     // principals; values may use ${ENV}
	Lifecycle  *Lifecycle         `json:"lifecycle,omitempty"`                   // how to kill it and start it again
	Downstream *Downstream        `json:"downstream,omitempty"`                  // the gate: a stub of what it calls while it works
	Store      *Store             `json:"store,omitempty"`                       // a link that the run can break, between it and its database
	Clock      *Clock             `json:"clock,omitempty"`                       // lets its time pass, for the lifetimes of keys

	Order []string `json:"-"` // tenants' names: the default first, the others as written
}

// Tenant is a principal: the headers that prove who calls.
type Tenant struct {
	Default bool              `json:"default,omitempty"`
	Headers map[string]string `json:"headers,omitempty"`
	Renewed map[string]string `json:"renewed,omitempty"` // newer credentials of the same principal
}

// Lifecycle has exactly one of its fields set.
type Lifecycle struct {
	Process   *Process   `json:"process,omitempty"`
	Container *Container `json:"container,omitempty"`
	Hooks     *Hooks     `json:"hooks,omitempty"`
}

// Process is a target that the run starts itself. Command and Env are templates: {port} and {dir} are chosen by the run,
// {dir} survives a restart, {downstream} is the gate, {store} the link to its database.
type Process struct {
	Command []string          `json:"command" jsonschema:"required,minItems=1"` // program and arguments, no shell
	Env     map[string]string `json:"env,omitempty"`                            // added to the run's own
	Dir     string            `json:"dir,omitempty"`                            // working folder, relative to the file
	Ready   Ready             `json:"ready,omitempty"`
}

// Container is a target that the run starts in a container, by the Docker of this machine. It has exactly one of image, build
// and program; Command and Env are templates as those of a process, with {dir} for the volume and {port} for where to listen.
type Container struct {
	Image   string            `json:"image,omitempty"`                                     // by its name; pulled if it is not here
	Build   *Build            `json:"build,omitempty"`                                     // built for the run
	Program string            `json:"program,omitempty"`                                   // a static Linux program that is all there is in the image, relative to the file
	Files   map[string]string `json:"files,omitempty"`                                     // beside a program: path in the container → file, relative to this one
	Command []string          `json:"command,omitempty"`                                   // arguments; default: those of the image
	Env     map[string]string `json:"env,omitempty"`                                       // added to the image's; the run's own is not passed on
	Volume  string            `json:"volume,omitempty"`                                    // folder in the container, filled in as {dir}, that survives a restart
	Port    int               `json:"port,omitempty" jsonschema:"minimum=0,maximum=65535"` // where it listens in a network of its own, published at target.url; default: this machine's network (Linux), where it listens at target.url itself
	Ready   Ready             `json:"ready,omitempty"`
}

// Build is a folder to build an image from.
type Build struct {
	Context    string `json:"context" jsonschema:"required,minLength=1"` // relative to the file
	Dockerfile string `json:"dockerfile,omitempty"`                      // in the context; default Dockerfile
}

// Hooks are shell commands that act on a target somebody else runs. They are no templates: the shell fills variables in. PORT,
// DIR and DOWNSTREAM are what {port}, {dir} and {downstream} are elsewhere, REPLICA is the number of the instance that is meant:
// 0 is target.url. A stop hook finds the seconds it may take in GRACE. A hook that kills or stops returns when the target is gone.
type Hooks struct {
	Start  string        `json:"start,omitempty"`                        // starts it again after a kill
	Kill   string        `json:"kill" jsonschema:"required,minLength=1"` // ends it without warning, in mid-work
	Stop   string        `json:"stop,omitempty"`                         // asks it to end
	Pause  string        `json:"pause,omitempty"`                        // freezes it in mid-work; with resume
	Within time.Duration `json:"within,omitempty"`                       // how long one hook may take; default 1m
	Resume string        `json:"resume,omitempty"`                       // lets it go on
	Ready  Ready         `json:"ready,omitempty"`
}

// Readiness is how to tell that the target may be used.
func (l *Lifecycle) Readiness() Ready {
	switch {
	case l == nil:
		return Ready{}
	case l.Process != nil:
		return l.Process.Ready
	case l.Container != nil:
		return l.Container.Ready
	case l.Hooks != nil:
		return l.Hooks.Ready
	}
	return Ready{}
}

// Ready tells when the target may be used; without a path an accepted connection is enough.
type Ready struct {
	HTTP   string        `json:"http,omitempty"`   // a path that answers 2xx
	Within time.Duration `json:"within,omitempty"` // default 30s
}

// Downstream is the gate: a stub of what the target calls while it works. For a container in a network of its own, which
// cannot reach loopback, it listens at this machine's end of Docker's bridge instead, and {downstream} says so.
type Downstream struct {
	Listen string            `json:"listen" jsonschema:"required"` // host:port; port 0 is filled in as {downstream}
	Key    DownstreamKey     `json:"key,omitempty"`
	Routes []DownstreamRoute `json:"routes,omitempty"` // default: every method and path books and answers 201
}

// DownstreamKey says where the target's calls carry their own idempotency key. At most one is set.
type DownstreamKey struct {
	Header string `json:"header,omitempty"` // name of a header field
	Body   string `json:"body,omitempty"`   // JSON Pointer
	Query  string `json:"query,omitempty"`  // name of a parameter
}

// DownstreamRoute is one call that the gate answers. Body is a template: {id} and {key} are filled in.
type DownstreamRoute struct {
	Method  string            `json:"method,omitempty"`                                      // default: any
	Path    string            `json:"path" jsonschema:"required"`                            // "*" matches one segment, a trailing "**" the rest
	Status  int               `json:"status,omitempty" jsonschema:"minimum=100,maximum=599"` // default 201
	Headers map[string]string `json:"headers,omitempty"`
	Body    string            `json:"body,omitempty"`
}

// Operation is one kind of write.
type Operation struct {
	Name    string                  `json:"-"`
	Body    *schema.Schema          `json:"-"`               // of schema or openapi; nil: none
	Pinned  []string                `json:"-"`               // places in the body that the schema may not vary: markers, and what is filled in
	Kept    []string                `json:"-"`               // places in the body that are never varied: markers, and what holds the key
	Setup   []Step                  `json:"setup,omitempty"` // requests before each intent; a parent made here isolates it
	Request Request                 `json:"request" jsonschema:"required"`
	Unique  []string                `json:"unique,omitempty"`  // JSON Pointers, made unique for each intent, never varied
	Schema  string                  `json:"schema,omitempty"`  // file beside this one: a JSON Schema of the body; says what may vary, and draws bodies
	OpenAPI string                  `json:"openapi,omitempty"` // file beside this one: OpenAPI 3.0 or 3.1; the schema is that of the operation with this method and path
	Vary    map[string]rewrite.Vary `json:"vary,omitempty"`    // JSON Pointer → what may change; default: every other leaf by its type
	Effects []Effect                `json:"effects,omitempty"`
	Status  *StatusProbe            `json:"status,omitempty"`
	Samples Samples                 `json:"samples,omitempty"`
	Alter   *Request                `json:"alter,omitempty"`                                                       // changes the created resource; {answer:/pointer} is the first answer
	Isolate string                  `json:"isolate,omitempty" jsonschema:"enum=marker,enum=parent,enum=exclusive"` // default: marker where unique is given, else parent where setup is, else exclusive
}

// Step is a named setup request; later placeholders read its answer as {setup.NAME:/pointer}.
type Step struct {
	Name string `json:"name" jsonschema:"required"`
	Request
}

// Request is a template. Body (YAML, written as JSON), BodyText and BodyFile (spelling kept) exclude one another.
type Request struct {
	Method   string            `json:"method" jsonschema:"required"`
	Path     string            `json:"path" jsonschema:"required"` // with query; {key} here makes the path carry the identity
	Headers  map[string]string `json:"headers,omitempty"`
	Body     json.RawMessage   `json:"body,omitempty"`      // members in the order of the file, numbers as they are spelled there
	BodyText string            `json:"body_text,omitempty"` // sent as it is; also what a body_file held
	BodyFile string            `json:"body_file,omitempty"` // relative to the configuration's file
}

// Effect is one way to see what a write did. Exactly one field is set.
type Effect struct {
	HTTP       *HTTPEffect    `json:"http,omitempty"`
	Value      *ValueEffect   `json:"value,omitempty"`
	SQL        *SQLEffect     `json:"sql,omitempty"`
	Command    *CommandEffect `json:"command,omitempty"`
	Downstream *LedgerEffect  `json:"downstream,omitempty"`
}

// HTTPEffect counts resources in a list that the target serves.
type HTTPEffect struct {
	Get   string `json:"get" jsonschema:"required"`   // path and query; a query only narrows, items are matched here
	Items string `json:"items" jsonschema:"required"` // JSONPath to the items
	ID    string `json:"id,omitempty"`                // JSONPath inside an item
	Next  string `json:"next,omitempty"`              // JSONPath to the next page's URL, or null
}

// ValueEffect reads a number that every execution moves by the same amount.
type ValueEffect struct {
	Get string `json:"get" jsonschema:"required"`
	At  string `json:"at" jsonschema:"required"` // JSONPath to the number
}

// SQLEffect counts rows. Placeholders in the query are bound as parameters, never spliced in.
type SQLEffect struct {
	Driver string `json:"driver" jsonschema:"required,enum=postgres,enum=sqlite"`
	DSN    string `json:"dsn" jsonschema:"required"`   // may use ${ENV} and {dir}
	Query  string `json:"query" jsonschema:"required"` // its rows are the effects; the first column is their id
}

// CommandEffect counts the lines that a command prints; each line is an id.
type CommandEffect struct {
	Run    []string      `json:"run" jsonschema:"required,minItems=1"`
	Within time.Duration `json:"within,omitempty"` // default 10s
}

// LedgerEffect counts bookings at the gate.
type LedgerEffect struct {
	Method string `json:"method,omitempty"` // default: any
	Path   string `json:"path,omitempty"`   // as in a route; default: any
}

// StatusProbe reads an operation's state with only what the caller already held.
type StatusProbe struct {
	Get       string              `json:"get" jsonschema:"required"`
	State     string              `json:"state" jsonschema:"required"` // JSONPath
	States    map[string][]string `json:"states,omitempty"`            // in_progress, succeeded, failed, unknown → the target's words; default: these words
	Reference string              `json:"reference,omitempty"`         // JSONPath to the result's id or link
}

// Samples are changes to the request's body that provoke a known failure: objects, merged into it as RFC 7396 says (null
// removes a member). They are templates like the body.
type Samples struct {
	Invalid json.RawMessage `json:"invalid,omitempty" jsonschema:"type=object"` // refused by validation
	Refused json.RawMessage `json:"refused,omitempty" jsonschema:"type=object"` // refused by the business, for good
	Crash   json.RawMessage `json:"crash,omitempty" jsonschema:"type=object"`   // breaks the handler: answered with a 5xx
}

// Timeouts bound every wait. What is left out is filled in.
type Timeouts struct {
	Request  time.Duration `json:"request,omitempty"`  // one attempt; default 5s
	Settle   time.Duration `json:"settle,omitempty"`   // after the last sign of work, before the last count; default 300ms
	Recovery time.Duration `json:"recovery,omitempty"` // a restarted target or a busy key; default 10s
}

// Limits cap what a run does to the target. What is left out is filled in.
type Limits struct {
	Rate     int           `json:"rate,omitempty" jsonschema:"minimum=0"`    // requests a second, bursts excepted; 0: no limit on loopback, 50 elsewhere
	Objects  int           `json:"objects,omitempty" jsonschema:"minimum=1"` // intents; default 5000
	Kills    int           `json:"kills,omitempty" jsonschema:"minimum=1"`   // instants at which each operation is killed by crash/sweep; default 8
	Duration time.Duration `json:"duration,omitempty"`                       // default 10m
}
