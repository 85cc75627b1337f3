package flow

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/oncespec/oncespec/mockapi/command"
	"github.com/oncespec/oncespec/mockapi/contract"
	"github.com/oncespec/oncespec/mockapi/reference"
	"github.com/oncespec/oncespec/mockapi/store"
)

// Settings are what a Flow works with. Store, Operations and Log are required.
type Settings struct {
	Contract   contract.Contract
	Store      store.Store
	Operations []command.Operation
	Tokens     map[string]string // tenant by bearer token; several tokens may stand for one tenant
	Provider   *Provider         // nil: nothing is booked anywhere
	Lease      time.Duration     // how long a server that stopped keeps its claims; see member.go
	Clock      bool              // it can be moved, which Advance does
	Log        *slog.Logger
}

// Flow does the writes. Make one with New, start it with Recover, end it with Close.
type Flow struct {
	Settings
	Stages

	operations map[string]command.Operation
	live       owners
	member     *member
	settled    bell
	recovery   recovery

	ctx    context.Context // ends with Close
	cancel context.CancelFunc
	mu     sync.Mutex // orders running.Add before running.Wait
	closed bool
	// stopping is closed when the server was asked to stop.
	stopping chan struct{}
	stopOnce sync.Once
	// running counts what may still touch the store.
	running sync.WaitGroup
}

// New returns a Flow with correct stages.
func New(settings Settings) *Flow {
	f := &Flow{Settings: settings, operations: map[string]command.Operation{}, member: newMember()}
	if f.Lease <= 0 {
		f.Lease = DefaultLease
	}
	for _, operation := range settings.Operations {
		f.operations[operation.Name] = operation
	}
	f.recovery.wake = make(chan struct{}, 1)
	f.stopping = make(chan struct{})
	f.ctx, f.cancel = context.WithCancel(context.Background())
	f.Stages = f.correct()
	return f
}

// Stop says that the server was asked to stop: it gets no new requests, and what runs should come to an end. Duplicates that wait
// for something else are told to come back.
func (f *Flow) Stop() { f.stopOnce.Do(func() { close(f.stopping) }) }

// Stopping is closed by Stop.
func (f *Flow) Stopping() <-chan struct{} { return f.stopping }

// Close abandons what is running, as if the process had ended, and waits until nothing touches the store any more. A
// graceful end first lets the HTTP server finish its requests.
func (f *Flow) Close() {
	f.mu.Lock()
	f.closed = true
	f.mu.Unlock()
	f.cancel()
	f.running.Wait()
	if err := f.leave(); err != nil {
		f.Log.Debug("leaving", "error", err)
	}
}

// enter begins work that Close waits for. Its context outlives the client's, which may hang up at any time, but not Close.
func (f *Flow) enter(client context.Context) (work context.Context, leave func(), err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return nil, nil, errors.New("the server is closed")
	}
	f.running.Add(1)
	return detached{f.ctx, client}, f.running.Done, nil
}

// detached ends with the Flow, at the same instant for all, and has the values of a client's context.
type detached struct {
	context.Context
	client context.Context
}

func (d detached) Value(key any) any { return d.client.Value(key) }

// Do carries out a call that has a key: it claims the key and acts on the decision until there is an answer.
func (f *Flow) Do(ctx context.Context, call *Call) (Answer, error) {
	for {
		answer, again, err := f.attempt(ctx, call)
		if !again {
			return answer, err
		}
	}
}

func (f *Flow) attempt(ctx context.Context, call *Call) (answer Answer, again bool, err error) {
	call.Owner = f.member.newOwner()
	f.live.add(call.Owner) // before the claim is committed, so that recovery never takes it for an orphan
	defer f.live.remove(call.Owner)

	entry, decision, err := f.Claim(ctx, call)
	if err != nil {
		return Answer{}, false, fmt.Errorf("claim: %w", err)
	}
	switch decision {
	case reference.Execute:
		answer, err = f.Execute(ctx, call, entry)
		if errors.Is(err, ErrReplaced) {
			return Answer{}, true, nil // nothing of this attempt was kept; what the new owner found is the answer
		}
		return answer, false, err
	case reference.Replay:
		answer, err = f.Replay(ctx, call, entry)
		return answer, false, err
	case reference.TooLate:
		answer, err = f.Expired(ctx, call, entry)
		return answer, false, err
	case reference.Conflict:
		answer, err = f.Conflict(ctx, call, entry)
		return answer, false, err
	case reference.Wait:
		if server := serverOf(entry.Owner); server != f.member.name && !f.member.sees(server) {
			f.recovery.hurry()
		}
		return f.Wait(ctx, call, entry)
	case reference.Reconcile:
		resolved, err := f.Resolve(ctx, entry)
		if errors.Is(err, ErrReplaced) {
			return Answer{}, true, nil // somebody else is at it, or was
		}
		if err != nil || !resolved {
			return UnknownOutcome(), false, err
		}
		return Answer{}, true, nil
	}
	return Answer{}, false, fmt.Errorf("claim of %s %s: unexpected decision %s", call.ID.Scope, call.ID.Key, decision)
}

// owners are the attempts that this server has under way.
type owners struct {
	mu  sync.Mutex
	set map[string]bool
}

func (o *owners) add(owner string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.set == nil {
		o.set = map[string]bool{}
	}
	o.set[owner] = true
}

func (o *owners) remove(owner string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.set, owner)
}

func (o *owners) has(owner string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.set[owner]
}
