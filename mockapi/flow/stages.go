package flow

import (
	"context"
	"net/http"

	"github.com/oncespec/oncespec/mockapi/command"
	"github.com/oncespec/oncespec/mockapi/reference"
	"github.com/oncespec/oncespec/mockapi/store"
)

// Stages are the steps of a keyed write. An error that is a *command.Refusal is told to the client, any other is a 500.
type Stages struct {
	// Authenticate tells who is calling.
	Authenticate func(*http.Request) (Principal, error)
	// ReadBody returns the whole body of a request, decompressed, or refuses.
	ReadBody func(*http.Request) ([]byte, error)
	// DecodeKey reads the key; "" without an error means to execute without one.
	DecodeKey func(*Call) (string, error)
	// StoredKey is the form of a key in which records are kept and found.
	StoredKey func(key string) string
	// Identify names the record of a call.
	Identify func(*Call) store.ID
	// Fingerprint digests what makes the call another one under the same key.
	Fingerprint func(*Call) (string, error)

	// Claim tries to make call.Owner the owner of the call's record, atomically and before any effect.
	Claim func(context.Context, *Call) (Entry, reference.Decision, error)
	// Execute does the work of a claimed entry and settles it. ErrReplaced: another owner took over, nothing was kept.
	Execute func(context.Context, *Call, Entry) (Answer, error)
	// Book does the downstream part of the work, and Lookup finds out what became of it.
	Book   func(context.Context, Entry) Outcome
	Lookup func(context.Context, Entry) Outcome
	// DownstreamKey is the key under which an entry is booked, the same for all attempts.
	DownstreamKey func(Entry) string
	// Complete makes the effect and records its answer as the entry's in one transaction.
	Complete func(context.Context, Entry, Effect) (Answer, error)
	// Fail records that an attempt failed, and returns what to tell the client.
	Fail func(context.Context, Entry, reference.Fail) (Answer, error)

	// Replay answers with the stored answer, Conflict refuses a changed payload.
	Replay   func(context.Context, *Call, Entry) (Answer, error)
	Conflict func(context.Context, *Call, Entry) (Answer, error)
	// Expired refuses a key whose lifetime is over.
	Expired func(context.Context, *Call, Entry) (Answer, error)
	// Wait answers a duplicate of what is in progress, or waits and wants the call tried again.
	Wait func(context.Context, *Call, Entry) (answer Answer, again bool, err error)

	// Resolve settles an entry whose owner is gone by finding out what was done; false: it cannot be told yet. ErrReplaced:
	// somebody else is settling it.
	Resolve func(context.Context, Entry) (bool, error)
	// Orphan notes that the owner of an entry is gone; it runs for each at the start.
	Orphan func(tx store.Tx, entry Entry) error

	// Collect removes what is left of operations whose keys' lifetime is over, and counts them.
	Collect func(context.Context) (int, error)

	// Unkeyed executes a call that has no key.
	Unkeyed func(context.Context, *Call) (Answer, error)
	// First finishes an answer that is no replay.
	First func(Answer) Answer
	// Deliver writes the answer to a call. All that has to be kept is kept by then.
	Deliver func(context.Context, http.ResponseWriter, *Call, Answer)
	// Status tells a principal the state of its operation under a key.
	Status func(ctx context.Context, principal Principal, key string) (Answer, error)
}

// Effect makes an effect in a transaction and returns the answer that tells of it.
type Effect func(store.Tx) (Answer, error)

// Principal is who calls.
type Principal struct {
	Tenant string
	Token  string // the credential it showed
}

// Answer is an HTTP answer as it is stored.
type Answer = reference.Answer

func (f *Flow) correct() Stages {
	return Stages{
		Authenticate:  f.authenticate,
		ReadBody:      readBody,
		DecodeKey:     f.decodeKey,
		StoredKey:     func(key string) string { return key },
		Identify:      f.identify,
		Fingerprint:   f.fingerprint,
		Claim:         f.claim,
		Execute:       f.execute,
		Book:          f.book,
		Lookup:        f.lookup,
		DownstreamKey: func(entry Entry) string { return entry.Downstream },
		Complete:      f.complete,
		Fail:          f.fail,
		Replay:        f.replay,
		Conflict:      f.conflict,
		Expired:       f.expired,
		Wait:          f.wait,
		Resolve:       f.resolve,
		Orphan:        f.orphan,
		Collect:       f.collect,
		Unkeyed:       f.unkeyed,
		First:         f.first,
		Deliver:       func(_ context.Context, w http.ResponseWriter, _ *Call, answer Answer) { Write(w, answer) },
		Status:        f.status,
	}
}

// Operation returns the operation of a name that New was given.
func (f *Flow) Operation(name string) command.Operation { return f.operations[name] }
