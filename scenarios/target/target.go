package target

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"

	"github.com/oncespec/oncespec/faults/link"
	"github.com/oncespec/oncespec/mockapi/provider"
	"github.com/oncespec/oncespec/scenarios/target/config"
	"github.com/oncespec/oncespec/scenarios/target/template"
)

// Options say what to start.
type Options struct {
	Config      *config.Config // as config.Parse returns it: whole
	Seed        uint64
	AllowRemote bool         // the configuration's allow_hosts count
	Dir         string       // scratch folder, filled in as {dir}
	Log         *slog.Logger // nil: nothing is logged
	Racy        []string     // starts the known-racy server as a child, at the address that is appended; nil: it runs in this process
}

const (
	// remoteRate is how many requests a second go to other machines where the configuration does not say.
	remoteRate = 50
	// dialLimit bounds a look at whether somebody takes connections.
	dialLimit = 2 * time.Second
)

// Target is the API under test and all that was started for it.
type Target struct {
	cfg        *config.Config
	seed       uint64
	dir        string
	log        *slog.Logger
	clock      clock
	redact     *redactor
	tag        string // of this run; every marker begins with it
	operations map[*config.Operation]*preparedOperation
	tenants    []string // the default first

	links        *link.Links
	remote       *link.Remote      // nil: the links lead to the target themselves
	remoteAfar   bool              // it is on another machine
	remoteStore  *link.RemoteRelay // nil: the database is not reached by it
	gate         *provider.Gate    // nil: none is configured
	store        *link.Relay       // to its database; nil: none is configured
	gateHost     string            // how a container calls the gate's host, if not by its address
	instances    []*instance       // the first is at target.url, the others at target.replicas
	limiter      *rate.Limiter
	throttle     throttle
	closers      []func() error
	names        names
	actors       actors
	keys         keyring
	objects      atomic.Int64
	http2        spoken // whether the target speaks HTTP/2
	ladder       []rung // the highest first
	racy         []string
	powers       powers
	storeShallow atomic.Bool // requests of a burst were never held at the store link together

	mu      sync.Mutex
	runs    []*scenarioRun // whose procedures may still have left something open
	steady  map[*config.Operation]*steadyFacts
	watched []watched

	closing sync.Once
	closed  error
}

// Start checks the hosts, starts the gate and the target, and waits until the target can be used. On an error nothing is left
// running; it is an *EnvironmentError where the surroundings are to blame, else a *ConfigurationError.
func Start(ctx context.Context, o Options) (*Target, error) {
	t, err := newTarget(o)
	if err != nil {
		return nil, err
	}
	if err := config.CheckHosts(t.cfg, o.AllowRemote); err != nil {
		return nil, &ConfigurationError{What: "hosts", Err: err}
	}
	if err := t.start(ctx, o); err != nil {
		// Whatever ended the start must not end the tidying up.
		return nil, errors.Join(err, t.Close(context.WithoutCancel(ctx)))
	}
	return t, nil
}

func newTarget(o Options) (*Target, error) {
	if o.Config == nil || o.Config.Target.URL == "" || len(o.Config.Operations) == 0 {
		return nil, &ConfigurationError{What: "configuration", Err: errors.New("expected target.url and at least one operation")}
	}
	tag, err := randomText(tagLength, markerLetters)
	if err != nil {
		return nil, err
	}
	t := &Target{
		cfg:        o.Config,
		seed:       o.Seed,
		dir:        o.Dir,
		log:        o.Log,
		clock:      clock{time.Now()},
		redact:     newRedactor(o.Config),
		tag:        tag,
		operations: map[*config.Operation]*preparedOperation{},
		tenants:    o.Config.Target.Order,
		links:      link.New(),
		steady:     map[*config.Operation]*steadyFacts{},
		racy:       o.Racy,
	}
	t.ladder = t.rungs()
	if t.log == nil {
		t.log = slog.New(slog.DiscardHandler)
	}
	return t, nil
}

func (t *Target) defaultTenant() string {
	if len(t.tenants) == 0 {
		return ""
	}
	return t.tenants[0]
}

func (t *Target) start(ctx context.Context, o Options) error {
	if err := t.openGate(ctx); err != nil {
		return err
	}
	if err := t.dialThrough(ctx, o.AllowRemote); err != nil {
		return err
	}
	if err := t.openStore(ctx, o.AllowRemote); err != nil {
		return err
	}
	if err := t.place(ctx, o.AllowRemote); err != nil {
		return err
	}
	if err := t.leadThrough(ctx); err != nil {
		return err
	}
	for _, op := range t.cfg.Operations {
		prepared, err := t.prepareOperation(op)
		if err != nil {
			return err
		}
		t.operations[op] = prepared
	}
	return t.bringAll(ctx)
}

// vars are the placeholders that hold for the whole run.
func (t *Target) vars() template.Vars { return t.varsOf(t.first()) }

// varsOf are those that hold for one instance.
func (t *Target) varsOf(i *instance) template.Vars {
	v := template.Vars{Port: i.port, Dir: t.dir, Env: t.cfg.Env}
	if t.gate != nil {
		v.Downstream = t.gate.URL()
	}
	if t.store != nil {
		v.Store = t.store.Addr
	}
	if t.remoteStore != nil {
		v.Store = t.remoteStore.Addr
	}
	return v
}

// URL is where the target is, as configured, with the port that was chosen for it.
func (t *Target) URL() string {
	_, port, _ := net.SplitHostPort(t.first().name())
	return strings.ReplaceAll(t.cfg.Target.URL, "{port}", port)
}

// pace waits for a request's turn.
func (t *Target) pace(ctx context.Context) error {
	if err := t.throttle.wait(ctx); err != nil {
		return err
	}
	return t.limiter.Wait(ctx)
}

// unpaced counts a request that does not wait for its turn; those that do wait the longer for it.
func (t *Target) unpaced() { t.limiter.Reserve() }

// countObject counts an intent against the limit.
func (t *Target) countObject() error {
	if n := t.objects.Add(1); n > int64(t.cfg.Limits.Objects) {
		return &EnvironmentError{What: "limits.objects", Err: fmt.Errorf("the run has made the %d objects that it may make; raise the limit, or select fewer requirements", t.cfg.Limits.Objects)}
	}
	return nil
}

// Close leaves nothing running: attempts, held calls, the gate, the target where the run started it, proxies on a Toxiproxy of
// somebody else's. A context that has ended does not cut that short: each part bounds itself. An error is a *LeftBehindError
// where something may be there still. It may be called more than once, and on a target that was only partly started.
func (t *Target) Close(ctx context.Context) error {
	t.closing.Do(func() { t.closed = t.close(context.WithoutCancel(ctx)) })
	return t.closed
}

func (t *Target) close(ctx context.Context) error {
	t.endLeftovers()
	var errs []error
	for _, i := range t.instances {
		i.idle.close() // a server that is asked to end may wait for those who have not said anything yet
	}
	for _, i := range slices.Backward(t.instances) { // what the others share is the first one's
		if err := i.close(); err != nil {
			errs = append(errs, &EnvironmentError{What: "stopping " + t.name(i), Err: redactedError{t.redact.text(err.Error()), err}})
		}
	}
	t.links.Close()
	if t.remote != nil {
		if err := t.remote.Close(ctx); err != nil {
			errs = append(errs, &EnvironmentError{What: "leaving no proxy", Err: err})
		}
	}
	if t.gate != nil {
		t.gate.Close()
	}
	var left error
	if len(errs) > 0 {
		left = &LeftBehindError{errors.Join(errs...)}
	}
	return errors.Join(left, t.closeProbes())
}

// endLeftovers ends what procedures have left open.
func (t *Target) endLeftovers() {
	t.mu.Lock()
	grounds := slices.Clone(t.runs)
	t.mu.Unlock()
	for _, g := range grounds {
		g.leave()
	}
}
