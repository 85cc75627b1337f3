package mutants

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"net/http"
	"strings"
	"sync"

	"github.com/oncespec/oncespec/mockapi/flow"
	"github.com/oncespec/oncespec/mockapi/store"
)

// stored is how much of an answer a mutant keeps that cuts or drops large ones, in bytes.
const stored = 64 << 10

var replayMutants = []Mutant{
	{
		Name:      "replay-answers-200",
		Defect:    "The retry of a creation is answered 200 instead of 201.",
		Stage:     "Replay",
		Operation: "create-ticket",
		Must:      []string{"replay/same-status"},
		Install: replaying(func(answer flow.Answer) flow.Answer {
			answer.Status = http.StatusOK
			return answer
		}),
	},
	{
		Name:      "replay-breaks",
		Defect:    "The stored answer cannot be read back: every retry is answered 500.",
		Stage:     "Replay",
		Operation: "create-ticket",
		Must:      []string{"replay/answered"},
		Install: func(f *flow.Flow) {
			f.Replay = func(context.Context, *flow.Call, flow.Entry) (flow.Answer, error) {
				return flow.Answer{}, errors.New("the stored answer is not JSON")
			}
		},
	},
	{
		Name:      "fingerprint-lost-on-completion",
		Defect:    "The record of a completed operation has no fingerprint any more: the identical retry is refused as another request.",
		Stage:     "Complete",
		Operation: "create-ticket",
		Must:      []string{"replay/answered"},
		Install: func(f *flow.Flow) {
			complete := f.Complete
			f.Complete = func(ctx context.Context, entry flow.Entry, effect flow.Effect) (flow.Answer, error) {
				answer, err := complete(ctx, entry, effect)
				if err != nil {
					return answer, err
				}
				return answer, f.Store.Update(ctx, func(tx store.Tx) error {
					completed, err := flow.Load(tx, entry.ID())
					if err != nil {
						return err
					}
					completed.Fingerprint = ""
					return flow.Save(tx, completed)
				})
			}
		},
	},
	{
		Name:      "replay-without-location",
		Defect:    "The retry's answer lacks the Location of the first.",
		Stage:     "Replay",
		Operation: "create-ticket",
		Must:      []string{"replay/same-headers"},
		Install: replaying(func(answer flow.Answer) flow.Answer {
			answer = flow.With(answer, "Location", "")
			delete(answer.Header, "Location")
			return answer
		}),
	},
	{
		Name:      "replay-with-new-id",
		Defect:    "The retry's answer is rendered anew, with an id of its own.",
		Stage:     "Replay",
		Operation: "create-ticket",
		Must:      []string{"replay/same-body"},
		May: []May{
			{"conflict/original-intact", "its replay after the conflict is another one than that before"},
			{"crash/durable", "its replay after the restart is another one than that before"},
		},
		Install: replaying(func(answer flow.Answer) flow.Answer {
			_, id, found := strings.Cut(http.Header(answer.Header).Get("Location"), "tickets/")
			if found {
				answer.Body = bytes.ReplaceAll(answer.Body, []byte(id), []byte("tkt_"+rand.Text()))
			}
			return answer
		}),
	},
	{
		Name:      "replay-second-differs",
		Defect:    "The first retry gets the result, later ones an empty object.",
		Stage:     "Replay",
		Operation: "create-ticket",
		Must:      []string{"replay/many-times"},
		May: []May{
			{"conflict/original-intact", "the replay before the conflict is the first one, that after it a later one"},
		},
		Install: func(f *flow.Flow) {
			var seen sync.Map
			replay := f.Replay
			f.Replay = func(ctx context.Context, call *flow.Call, entry flow.Entry) (flow.Answer, error) {
				answer, err := replay(ctx, call, entry)
				if _, again := seen.LoadOrStore(call.ID, true); again && len(answer.Body) > 0 {
					answer.Body = []byte(`{}`)
				}
				return answer, err
			}
		},
	},
	{
		Name:      "replay-gives-current-state",
		Defect:    "The retry gets the resource as it is now instead of the stored answer.",
		Stage:     "Replay",
		Operation: "create-ticket",
		Must:      []string{"replay/after-change"},
		Install: func(f *flow.Flow) {
			replay := f.Replay
			f.Replay = func(ctx context.Context, call *flow.Call, entry flow.Entry) (flow.Answer, error) {
				answer, err := replay(ctx, call, entry)
				if err != nil {
					return answer, err
				}
				return answer, f.Store.View(ctx, func(r store.Reader) error {
					if body, found := current(r, entry); found {
						answer.Body = body
					}
					return nil
				})
			}
		},
	},
	{
		Name:      "replay-unmarked",
		Defect:    "Replays do not carry the declared marker.",
		Stage:     "Replay",
		Operation: "create-ticket",
		Must:      []string{"replay/marker"},
		Install: func(f *flow.Flow) {
			f.Replay = func(_ context.Context, _ *flow.Call, entry flow.Entry) (flow.Answer, error) { return entry.Answer, nil }
		},
	},
	{
		Name:      "first-marked-as-replay",
		Defect:    "The first answer carries the marker of a replay.",
		Stage:     "First",
		Operation: "create-ticket",
		Must:      []string{"replay/marker"},
		Install: func(f *flow.Flow) {
			name, value := f.Marker()
			f.First = func(answer flow.Answer) flow.Answer { return flow.With(answer, name, value) }
		},
	},
	{
		Name:      "replay-for-anybody",
		Defect:    "It looks at the key before the token: whoever has the key gets the stored answer.",
		Stage:     "Authenticate",
		Operation: "create-ticket",
		Must:      []string{"replay/authorised"},
		Install: func(f *flow.Flow) {
			authenticate := f.Authenticate
			f.Authenticate = func(r *http.Request) (flow.Principal, error) {
				principal, err := authenticate(r)
				key, malformed := f.Contract.DecodeKey(r.Header.Values(f.Contract.Name))
				if err == nil || malformed != nil {
					return principal, err
				}
				for _, tenant := range f.Tokens {
					if entry, found := f.Newest(r.Context(), tenant, key); found == nil && entry.State.Final() {
						return flow.Principal{Tenant: tenant}, nil
					}
				}
				return principal, err
			}
		},
	},
	{
		Name:      "replay-books-again",
		Defect:    "The retry gets the stored answer, but is booked downstream once more under a new key.",
		Stage:     "Replay",
		Operation: "create-ticket",
		Must:      []string{"replay/one-effect#downstream", "replay/no-downstream"},
		Install: func(f *flow.Flow) {
			replay := f.Replay
			f.Replay = func(ctx context.Context, call *flow.Call, entry flow.Entry) (flow.Answer, error) {
				f.Book(ctx, f.Unprotected(call))
				return replay(ctx, call, entry)
			}
		},
	},
	{
		Name:      "replay-calls-downstream",
		Defect:    "The retry asks downstream for the booking again, under the same key, before it gets the stored answer.",
		Stage:     "Replay",
		Operation: "create-ticket",
		Must:      []string{"replay/no-downstream"},
		Install: func(f *flow.Flow) {
			replay := f.Replay
			f.Replay = func(ctx context.Context, call *flow.Call, entry flow.Entry) (flow.Answer, error) {
				f.BookAnyway(ctx, entry)
				return replay(ctx, call, entry)
			}
		},
	},
	{
		Name:      "replay-moves-balance",
		Defect:    "The retry gets the stored answer, but moves the balance once more.",
		Stage:     "Replay",
		Operation: "create-payment",
		Must:      []string{"replay/one-effect#value"},
		Install: func(f *flow.Flow) {
			replay := f.Replay
			f.Replay = func(ctx context.Context, call *flow.Call, entry flow.Entry) (flow.Answer, error) {
				if entry.Operation == "payments.create" && entry.Answer.Status/100 == 2 {
					if err := f.Store.Update(ctx, func(tx store.Tx) error {
						_, err := f.Effect(call.Command, entry.Tenant)(withoutPayment{tx})
						return err
					}); err != nil {
						return flow.Answer{}, err
					}
				}
				return replay(ctx, call, entry)
			}
		},
	},
	{
		Name:      "large-answer-not-stored",
		Defect:    "Answers too large for its record store are not stored, so the retry executes again.",
		Stage:     "Complete",
		Operation: "export-ticket",
		Must:      []string{"replay/one-effect#value"},
		Install: func(f *flow.Flow) {
			complete := f.Complete
			f.Complete = func(ctx context.Context, entry flow.Entry, effect flow.Effect) (flow.Answer, error) {
				answer, err := complete(ctx, entry, effect)
				if err == nil && len(answer.Body) > stored {
					err = f.Store.Update(ctx, func(tx store.Tx) error { return tx.DeleteClaim(entry.ID()) })
				}
				return answer, err
			}
		},
	},
	{
		Name:      "large-answer-cut",
		Defect:    "It stores the first 64 KiB of an answer and replays that.",
		Stage:     "Replay",
		Operation: "export-ticket",
		Must:      []string{"replay/same-body", "replay/large-body"},
		Install: replaying(func(answer flow.Answer) flow.Answer {
			answer.Body = answer.Body[:min(stored, len(answer.Body))]
			return answer
		}),
	},
	{
		Name:      "no-content-not-replayed",
		Defect:    "An answer without a body is taken for one that is not there yet: the retry is told for ever that the first is still running.",
		Stage:     "Replay",
		Operation: "close-ticket",
		Must:      []string{"replay/answered", "replay/no-body"},
		Install: func(f *flow.Flow) {
			replay := f.Replay
			f.Replay = func(ctx context.Context, call *flow.Call, entry flow.Entry) (flow.Answer, error) {
				answer, err := replay(ctx, call, entry)
				if answer.Status == http.StatusNoContent {
					answer = f.InFlight()
				}
				return answer, err
			}
		},
	},
}

// replaying changes stored successes on their way to the client.
func replaying(change func(flow.Answer) flow.Answer) func(*flow.Flow) {
	return func(f *flow.Flow) {
		replay := f.Replay
		f.Replay = func(ctx context.Context, call *flow.Call, entry flow.Entry) (flow.Answer, error) {
			answer, err := replay(ctx, call, entry)
			if err == nil && answer.Status/100 == 2 {
				answer = change(answer)
			}
			return answer, err
		}
	}
}
