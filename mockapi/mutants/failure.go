package mutants

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"io"
	"net/http"
	"sync"

	"github.com/oncespec/oncespec/mockapi/command"
	"github.com/oncespec/oncespec/mockapi/flow"
	"github.com/oncespec/oncespec/mockapi/reference"
	"github.com/oncespec/oncespec/mockapi/store"
)

var failureMutants = []Mutant{
	{
		Name:      "5xx-stored",
		Defect:    "A failure of the provider that would pass is stored: its 503 is the answer for ever.",
		Stage:     "Fail",
		Operation: "create-ticket",
		Must:      []string{"failure/transient", "failure/stored#5xx"},
		Install: func(f *flow.Flow) {
			fail := f.Fail
			f.Fail = func(ctx context.Context, entry flow.Entry, failure reference.Fail) (flow.Answer, error) {
				if failure.Uncertain || failure.Answer.Status < 500 {
					return fail(ctx, entry, failure)
				}
				return failure.Answer, settle(ctx, f, entry, reference.Failed, failure.Answer)
			}
		},
	},
	{
		Name:      "refusal-not-stored",
		Defect:    "A final refusal is not stored, although the contract says so: the key can be used for another request.",
		Stage:     "Fail",
		Operation: "create-ticket",
		Must:      []string{"failure/stored#4xx"},
		May: []May{
			{"status/final#refused", "what is not stored reads as if it had never been"},
		},
		Install: func(f *flow.Flow) {
			fail := f.Fail
			f.Fail = func(ctx context.Context, entry flow.Entry, failure reference.Fail) (flow.Answer, error) {
				if failure.Uncertain || failure.Answer.Status/100 != 4 {
					return fail(ctx, entry, failure)
				}
				return failure.Answer, f.Store.Update(ctx, func(tx store.Tx) error { return tx.DeleteClaim(entry.ID()) })
			}
		},
	},
	{
		Name:      "refusal-loses-status",
		Defect:    "A stored refusal is replayed with another status than it was given.",
		Stage:     "Replay",
		Operation: "create-ticket",
		Must:      []string{"failure/stored#4xx", "failure/business"},
		Install: func(f *flow.Flow) {
			replay := f.Replay
			f.Replay = func(ctx context.Context, call *flow.Call, entry flow.Entry) (flow.Answer, error) {
				answer, err := replay(ctx, call, entry)
				if answer.Status/100 == 4 {
					answer.Status = http.StatusBadRequest
				}
				return answer, err
			}
		},
	},
	{
		Name:      "refusal-wears-off",
		Defect:    "A final refusal is not stored, and the same request is carried out when it is sent again.",
		Stage:     "Execute",
		Operation: "create-ticket",
		Must:      []string{"failure/business"},
		May: []May{
			{"failure/stored#4xx", "the contract says that refusals are stored"},
			{"status/final#refused", "what is not stored reads as if it had never been"},
		},
		Install: refusalWearsOff,
	},
	{
		Name:      "invalid-payload-consumes-key",
		Defect:    "A payload that validation refuses consumes the key: the corrected one is refused as another request.",
		Stage:     "DecodeKey",
		Operation: "create-ticket",
		Must:      []string{"failure/validation"},
		Install:   invalidConsumes,
	},
	{
		Name:      "5xx-leaks-claim",
		Defect:    "After a 5xx the key stays claimed: every retry is told for ever that the first is still running.",
		Stage:     "Fail",
		Operation: "create-ticket",
		Must:      []string{"failure/transient"},
		May: []May{
			{"failure/handler-crash", "the same after the 500 of a broken handler"},
		},
		Install: failing(func(failure reference.Fail) bool { return !failure.Uncertain && failure.Answer.Status >= 500 }),
	},
	{
		Name:      "panic-leaks-claim",
		Defect:    "A handler that panics keeps the key claimed: every retry is told that the first is still running.",
		Stage:     "Fail",
		Operation: "create-ticket",
		Must:      []string{"failure/handler-crash"},
		Install: failing(func(failure reference.Fail) bool {
			return !failure.Uncertain && failure.Answer.Status == http.StatusInternalServerError
		}),
	},
	{
		Name:      "failure-taken-for-success",
		Defect:    "It answers 201 although the provider refused the booking.",
		Stage:     "Book",
		Operation: "create-ticket",
		Must:      []string{"downstream/reconciles"},
		May: []May{
			{"failure/transient", "the success has no booking"},
		},
		Install: func(f *flow.Flow) {
			book := f.Book
			f.Book = func(ctx context.Context, entry flow.Entry) flow.Outcome {
				if outcome := book(ctx, entry); outcome != flow.NotBooked {
					return outcome
				}
				return flow.Booked
			}
		},
	},
	{
		Name:      "unknown-executes-again",
		Defect:    "The retry of an operation whose outcome is unknown executes it again under a new downstream key.",
		Stage:     "Resolve",
		Operation: "create-ticket",
		Must:      []string{"failure/unknown#one-effect"},
		May: []May{
			{"downstream/stable-key", "the second attempt has a downstream key of its own"},
			{"crash/after-effect", "what a restart finds unfinished is unknown at first"},
			{"status/unknown", "the operation reads as if it had never been"},
		},
		Install: func(f *flow.Flow) {
			f.Resolve = func(ctx context.Context, entry flow.Entry) (bool, error) {
				return true, f.Store.Update(ctx, func(tx store.Tx) error { return forget(tx, entry) })
			}
		},
	},
	{
		Name:      "unknown-for-ever",
		Defect:    "Nobody finds out what became of an operation whose outcome was unknown: it stays so.",
		Stage:     "Resolve",
		Operation: "create-ticket",
		Must:      []string{"failure/unknown#resolves"},
		Install: func(f *flow.Flow) {
			f.Resolve = func(context.Context, flow.Entry) (bool, error) { return false, nil }
		},
	},
	{
		Name:      "unknown-told-as-failed",
		Defect:    "An unknown outcome is stored and told as a failure.",
		Stage:     "Fail",
		Operation: "create-ticket",
		Must:      []string{"failure/unknown#reported", "status/unknown"},
		May: []May{
			{"failure/unknown#resolves", "what was stored as a failure stays one"},
			{"downstream/reconciles", "the booking of the failed operation stands"},
		},
		Install: func(f *flow.Flow) {
			fail := f.Fail
			f.Fail = func(ctx context.Context, entry flow.Entry, failure reference.Fail) (flow.Answer, error) {
				if !failure.Uncertain {
					return fail(ctx, entry, failure)
				}
				answer := flow.Problem(&command.Refusal{Status: http.StatusPaymentRequired, Code: "booking_failed", Title: "The booking failed"})
				return answer, settle(ctx, f, entry, reference.Failed, answer)
			}
		},
	},
	{
		Name:      "downstream-key-per-attempt",
		Defect:    "Every attempt books under a downstream key of its own.",
		Stage:     "DownstreamKey",
		Operation: "create-ticket",
		Must:      []string{"downstream/stable-key"},
		May: []May{
			{"failure/unknown#one-effect", "the retry asks for a key that was never booked"},
			{"crash/after-effect", "after the restart it asks for a key that was never booked"},
			{"status/unknown", "recovery may have asked for such a key by then, and reads as if nothing had been done"},
		},
		Install: func(f *flow.Flow) {
			f.DownstreamKey = func(entry flow.Entry) string { return reference.DownstreamKey(entry.Downstream, entry.Owner) }
		},
	},
	{
		Name:      "downstream-key-by-payload",
		Defect:    "The downstream key is made of the payload, so two operations with equal payloads are booked once.",
		Stage:     "DownstreamKey",
		Operation: "create-ticket",
		Must:      []string{"downstream/own-key"},
		Install: func(f *flow.Flow) {
			f.DownstreamKey = func(entry flow.Entry) string { return reference.DownstreamKey(entry.Operation, string(entry.Command)) }
		},
	},
}

// failing loses the reports of some failures.
func failing(lost func(reference.Fail) bool) func(*flow.Flow) {
	return func(f *flow.Flow) {
		fail := f.Fail
		f.Fail = func(ctx context.Context, entry flow.Entry, failure reference.Fail) (flow.Answer, error) {
			if failure.Answer.Status != 0 && lost(failure) {
				return failure.Answer, nil
			}
			return fail(ctx, entry, failure)
		}
	}
}

// refusalWearsOff does not ask the business a second time.
func refusalWearsOff(f *flow.Flow) {
	var refused sync.Map // by record
	execute, fail := f.Execute, f.Fail
	f.Execute = func(ctx context.Context, call *flow.Call, entry flow.Entry) (flow.Answer, error) {
		if _, before := refused.Load(entry.ID()); !before {
			return execute(ctx, call, entry)
		}
		if outcome := f.Book(ctx, entry); outcome != flow.Booked {
			return f.Fail(ctx, entry, reference.Fail{Answer: flow.Unavailable(), Uncertain: outcome == flow.Unsure})
		}
		answer, err := f.Complete(ctx, entry, f.Effect(call.Command, entry.Tenant))
		return f.First(answer), err
	}
	f.Fail = func(ctx context.Context, entry flow.Entry, failure reference.Fail) (flow.Answer, error) {
		if failure.Uncertain || failure.Answer.Status/100 != 4 {
			return fail(ctx, entry, failure)
		}
		refused.Store(entry.ID(), true)
		return failure.Answer, f.Store.Update(ctx, func(tx store.Tx) error { return tx.DeleteClaim(entry.ID()) })
	}
}

// invalidConsumes looks at the payload where the key is read, and keeps a record of one that is invalid.
func invalidConsumes(f *flow.Flow) {
	decodeKey := f.DecodeKey
	f.DecodeKey = func(call *flow.Call) (string, error) {
		key, err := decodeKey(call)
		if err != nil || key == "" {
			return key, err
		}
		body, err := io.ReadAll(call.HTTP.Body)
		if err != nil {
			return "", &command.Refusal{Status: http.StatusBadRequest, Code: "malformed_body", Title: "The body cannot be read"}
		}
		call.HTTP.Body = io.NopCloser(bytes.NewReader(body))
		input := call.Input
		input.Body = body
		var refusal *command.Refusal
		if _, err := call.Operation.Decode(input); !errors.As(err, &refusal) || refusal.Status != http.StatusUnprocessableEntity {
			return key, nil // what cannot be read at all is not validated
		}
		invalid := *call
		invalid.Key, invalid.Owner, invalid.Fingerprint, invalid.JSON = key, rand.Text(), "invalid", []byte("null")
		invalid.ID = f.Identify(&invalid)
		entry, decision, err := f.Claim(call.HTTP.Context(), &invalid)
		if err == nil && decision == reference.Execute {
			err = settle(call.HTTP.Context(), f, entry, reference.Failed, flow.Problem(refusal))
		}
		return key, err
	}
}

// settle gives an entry a final state, whatever the model says.
func settle(ctx context.Context, f *flow.Flow, entry flow.Entry, state reference.State, answer flow.Answer) error {
	return f.Store.Update(ctx, func(tx store.Tx) (err error) {
		entry.State, entry.Answer = state, answer
		if entry.Updated, err = f.Now(tx); err != nil {
			return err
		}
		return flow.Save(tx, entry)
	})
}

// forget makes an entry one that the next claim executes, under a new downstream key.
func forget(tx store.Tx, entry flow.Entry) error {
	entry.State = reference.Released
	entry.Downstream = reference.DownstreamKey("forgotten", rand.Text())
	return flow.Save(tx, entry)
}
