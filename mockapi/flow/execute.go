package flow

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"

	"github.com/oncespec/oncespec/mockapi/command"
	"github.com/oncespec/oncespec/mockapi/reference"
	"github.com/oncespec/oncespec/mockapi/store"
)

// execute does the work that a claim allows, and settles the claim whatever happens.
func (f *Flow) execute(ctx context.Context, call *Call, entry Entry) (answer Answer, err error) {
	booked := false
	defer func() {
		if broken := recover(); broken != nil {
			f.Log.Error("handler panicked", "operation", entry.Operation, "panic", fmt.Sprint(broken))
			answer, err = f.Fail(ctx, entry, brokenHandler(booked))
		}
	}()
	if refusal := call.Command.Decide(); refusal != nil {
		return f.Fail(ctx, entry, reference.Fail{Answer: Problem(refusal)})
	}
	switch f.Book(ctx, entry) {
	case NotBooked:
		return f.Fail(ctx, entry, reference.Fail{Answer: Unavailable()})
	case Unsure:
		return f.Fail(ctx, entry, reference.Fail{Answer: UnknownOutcome(), Uncertain: true})
	}
	booked = call.Operation.Books && f.Provider != nil
	answer, err = f.Complete(ctx, entry, f.Effect(call.Command, entry.Tenant))
	if err != nil && !errors.Is(err, ErrReplaced) {
		f.Log.Error("the effect could not be made", "operation", entry.Operation, "error", err)
		failure := brokenHandler(booked)
		if !booked && errors.Is(err, store.ErrUnavailable) {
			failure.Answer = Problem(storeUnavailable())
		}
		return f.Fail(ctx, entry, failure)
	}
	return f.First(answer), err
}

// Effect is a command's local effect.
func (f *Flow) Effect(c command.Command, tenant string) Effect {
	return func(tx store.Tx) (Answer, error) {
		now, err := f.Now(tx)
		if err != nil {
			return Answer{}, err
		}
		answer, err := c.Apply(tx, command.Env{Tenant: tenant, Now: now, NewID: rand.Text})
		return answerOf(answer), err
	}
}

// brokenHandler is the failure of a handler that could not finish: certain to have done nothing, since its transaction was
// undone, unless the booking was made.
func brokenHandler(booked bool) reference.Fail {
	if booked {
		return reference.Fail{Answer: UnknownOutcome(), Uncertain: true}
	}
	return reference.Fail{Answer: Problem(&command.Refusal{
		Status: http.StatusInternalServerError, Code: "internal", Title: "The server failed; nothing was done"})}
}

// Unavailable tells a client that nothing was done because the provider did not take the booking.
func Unavailable() Answer {
	return Problem(&command.Refusal{Status: http.StatusServiceUnavailable, Code: "provider_unavailable",
		Title: "The provider did not take the booking; nothing was done"})
}

// UnknownOutcome tells a client that nobody knows yet.
func UnknownOutcome() Answer {
	return Problem(&command.Refusal{Status: http.StatusGatewayTimeout, Code: "outcome_unknown",
		Title: "Whether the work was done is not known yet; the same request with the same key finds out"})
}

// unkeyed executes a call that nothing protects from being repeated.
func (f *Flow) unkeyed(ctx context.Context, call *Call) (answer Answer, err error) {
	defer func() {
		if broken := recover(); broken != nil {
			err = fmt.Errorf("handler of %s panicked: %v", call.Operation.Name, broken)
		}
	}()
	if refusal := call.Command.Decide(); refusal != nil {
		return Answer{}, refusal
	}
	entry := f.Unprotected(call)
	switch f.Book(ctx, entry) {
	case NotBooked:
		return Unavailable(), nil
	case Unsure:
		return UnknownOutcome(), nil
	}
	err = f.Store.Update(ctx, func(tx store.Tx) (err error) {
		answer, err = f.Effect(call.Command, call.Principal.Tenant)(tx)
		return err
	})
	return f.First(answer), err
}

// Unprotected is an entry that is not stored, with a downstream key that is used once.
func (f *Flow) Unprotected(call *Call) Entry {
	return Entry{
		Record: reference.Record{Scope: call.ID.Scope, Key: call.ID.Key, Fingerprint: call.Fingerprint, State: reference.InProgress,
			Owner: call.Owner, Version: 1, Downstream: reference.DownstreamKey("unprotected", rand.Text())},
		Tenant: call.Principal.Tenant, Operation: call.Operation.Name, Command: call.JSON,
	}
}
