package mutants

import (
	"context"
	"time"

	"github.com/oncespec/oncespec/mockapi/flow"
	"github.com/oncespec/oncespec/mockapi/reference"
	"github.com/oncespec/oncespec/mockapi/store"
)

var crashMutants = []Mutant{
	{
		Name:      "records-in-memory",
		Defect:    "Its key records live in memory while the effects are durable: after a restart every retry executes again.",
		Stage:     "Store",
		Operation: "create-ticket",
		Must:      []string{"crash/durable"},
		May: []May{
			{"downstream/reconciles", "the retry after the restart makes a second resource under one booking"},
			{"race/replicas", "another instance knows nothing of what is in the memory of this one"},
			{"crash/fencing", "nor does it take over, but begins anew"},
		},
		Install: func(f *flow.Flow) { f.Store = &split{Store: f.Store, claims: &store.Memory{}} },
	},
	{
		Name:      "record-after-answer",
		Defect:    "It records the result after it has answered: killed in between, recovery finds the booking and does the work again.",
		Stage:     "Deliver",
		Operation: "create-ticket",
		Must:      []string{"crash/after-record"},
		May: []May{
			{"downstream/reconciles", "two resources stand against one booking"},
		},
		Install: func(f *flow.Flow) {
			late(f, 20*window, func(ctx context.Context, call *flow.Call) (flow.Answer, bool, error) {
				_, err := settled(ctx, f, call.ID, time.Minute)
				return flow.Answer{}, false, err
			})
		},
	},
	{
		Name:      "recovery-does-it-too",
		Defect:    "What a restart finds not booked is done by recovery, and its key left free: the retry does it again.",
		Stage:     "Fail",
		Operation: "create-ticket",
		Must:      []string{"crash/after-claim"},
		May: []May{
			{"downstream/reconciles", "two resources stand against one booking"},
		},
		Install: func(f *flow.Flow) {
			fail := f.Fail
			f.Fail = func(ctx context.Context, entry flow.Entry, failure reference.Fail) (flow.Answer, error) {
				if failure.Answer.Status == 0 && !failure.Uncertain && f.Book(ctx, entry) == flow.Booked {
					command, err := f.Operation(entry.Operation).Restore(entry.Command)
					if err != nil {
						return flow.Answer{}, err
					}
					if err := f.Store.Update(ctx, func(tx store.Tx) error {
						_, err := f.Effect(command, entry.Tenant)(tx)
						return err
					}); err != nil {
						return flow.Answer{}, err
					}
				}
				return fail(ctx, entry, failure)
			}
		},
	},
	{
		Name:      "restart-executes-blindly",
		Defect:    "After a restart unfinished operations count as never begun: the retry executes under a new downstream key.",
		Stage:     "Orphan",
		Operation: "create-ticket",
		Must:      []string{"crash/after-effect"},
		May: []May{
			{"downstream/stable-key", "the second attempt has a downstream key of its own"},
		},
		Install: func(f *flow.Flow) {
			f.Orphan = forget
		},
	},
	{
		Name:      "never-recovered",
		Defect:    "Unfinished operations of a killed process stay in progress for ever.",
		Stage:     "Resolve",
		Operation: "create-ticket",
		Must:      []string{"crash/not-stuck"},
		May: []May{
			{"crash/sweep#resolves", "what was killed at an instant of its own stays in progress too"},
		},
		Install: func(f *flow.Flow) {
			resolve := f.Resolve
			f.Orphan = func(store.Tx, flow.Entry) error { return nil }
			f.Resolve = func(ctx context.Context, entry flow.Entry) (bool, error) {
				if entry.State == reference.InProgress {
					return true, nil
				}
				return resolve(ctx, entry)
			}
		},
	},
	{
		Name:      "recovery-assumes-done",
		Defect:    "Recovery completes unfinished operations without asking whether they were booked.",
		Stage:     "Lookup",
		Operation: "create-ticket",
		Must:      []string{"downstream/reconciles"},
		May: []May{
			{"crash/after-claim", "an acknowledged operation has no booking"},
			{"crash/sweep", "so does one that was killed before its booking at an instant of its own"},
			{"status/unknown", "an unknown outcome may read as a success by then"},
		},
		Install: func(f *flow.Flow) {
			f.Lookup = func(context.Context, flow.Entry) flow.Outcome { return flow.Booked }
		},
	},
	{
		Name:      "effect-apart-from-record",
		Defect:    "It commits the effect, and records the result in a second transaction right after: killed in between, recovery does the work again.",
		Stage:     "Complete",
		Operation: "create-ticket",
		Must:      []string{"crash/sweep#after-effect"},
		May: []May{
			{"crash/sweep", "a kill at a random instant may come between the two as well"},
			{"downstream/reconciles", "two resources stand against one booking"},
		},
		Install: func(f *flow.Flow) { effectApart(f, window) },
	},
	{
		Name:      "record-right-after-effect",
		Defect:    "It commits the effect, and at once the record, in two transactions: whoever is killed just then has one without the other.",
		Stage:     "Complete",
		Operation: "create-ticket",
		Must:      []string{"crash/sweep#after-effect"},
		May: []May{
			{"crash/sweep", "a kill on sight of the claim may come between the two as well"},
			{"downstream/reconciles", "two resources stand against one booking"},
		},
		Install: func(f *flow.Flow) { effectApart(f, 0) },
	},
	{
		Name:      "unrecorded-when-stopping",
		Defect:    "Once it was asked to end it makes effects and records nothing any more: after the restart the work is done again.",
		Stage:     "Complete",
		Operation: "create-ticket",
		Must:      []string{"crash/graceful-stop"},
		May: []May{
			{"downstream/reconciles", "two resources stand against one booking"},
		},
		Install: func(f *flow.Flow) {
			complete := f.Complete
			f.Complete = func(ctx context.Context, entry flow.Entry, effect flow.Effect) (answer flow.Answer, err error) {
				select {
				case <-f.Stopping():
				default:
					return complete(ctx, entry, effect)
				}
				err = f.Store.Update(ctx, func(tx store.Tx) (err error) {
					answer, err = effect(tx)
					return err
				})
				return answer, err
			}
		},
	},
	{
		Name:      "effect-before-record",
		Defect:    "It commits the effect first, then books, then records the result: whoever is interrupted in between starts over.",
		Stage:     "Execute",
		Operation: "create-ticket",
		Must:      []string{"crash/after-effect"},
		May: []May{
			{"failure/transient", "the effect of the failed attempt stays"},
			{"failure/unknown#one-effect", "the effect is there before the outcome is known"},
			{"conflict/after-failure", "the effect of the failed attempt stays"},
			{"downstream/reconciles", "two resources stand against one booking"},
		},
		Install: effectBeforeRecord,
	},
}

// effectApart makes effects in a transaction of their own, shortly before the one that records the answer.
func effectApart(f *flow.Flow, gap time.Duration) {
	type attempt struct{} // marks what is no recovery
	execute, complete := f.Execute, f.Complete
	f.Execute = func(ctx context.Context, call *flow.Call, entry flow.Entry) (flow.Answer, error) {
		return execute(context.WithValue(ctx, attempt{}, true), call, entry)
	}
	f.Complete = func(ctx context.Context, entry flow.Entry, effect flow.Effect) (answer flow.Answer, err error) {
		if ctx.Value(attempt{}) == nil {
			return complete(ctx, entry, effect)
		}
		err = f.Store.Update(ctx, func(tx store.Tx) (err error) {
			answer, err = effect(tx)
			return err
		})
		if err != nil {
			return answer, err
		}
		if gap > 0 {
			pause(ctx, gap)
		}
		return complete(ctx, entry, func(store.Tx) (flow.Answer, error) { return answer, nil })
	}
}

func effectBeforeRecord(f *flow.Flow) {
	execute := f.Execute
	f.Execute = func(ctx context.Context, call *flow.Call, entry flow.Entry) (flow.Answer, error) {
		if entry.Operation != "tickets.create" || isSpecial(call) {
			return execute(ctx, call, entry)
		}
		var done flow.Answer
		if err := f.Store.Update(ctx, func(tx store.Tx) (err error) {
			done, err = f.Effect(call.Command, entry.Tenant)(tx)
			return err
		}); err != nil {
			return flow.Answer{}, err
		}
		switch f.Book(ctx, entry) {
		case flow.NotBooked:
			return f.Fail(ctx, entry, reference.Fail{Answer: flow.Unavailable()})
		case flow.Unsure:
			return f.Fail(ctx, entry, reference.Fail{Answer: flow.UnknownOutcome(), Uncertain: true})
		}
		answer, err := f.Complete(ctx, entry, func(store.Tx) (flow.Answer, error) { return done, nil })
		return f.First(answer), err
	}
}

// isSpecial tells whether the business refuses a command or its handler breaks: those have no effect to commit.
func isSpecial(call *flow.Call) (special bool) {
	defer func() { special = special || recover() != nil }()
	return call.Command.Decide() != nil
}

// split keeps claims in another store than the documents, so nothing holds the two together.
type split struct {
	store.Store
	claims store.Store
}

func (s *split) View(ctx context.Context, read func(store.Reader) error) error {
	return s.Store.View(ctx, func(documents store.Reader) error {
		return s.claims.View(ctx, func(claims store.Reader) error { return read(splitReader{documents, claims}) })
	})
}

func (s *split) Update(ctx context.Context, change func(store.Tx) error) error {
	return s.Store.Update(ctx, func(documents store.Tx) error {
		return s.claims.Update(ctx, func(claims store.Tx) error { return change(splitTx{documents, claims}) })
	})
}

type splitReader struct {
	store.Reader
	claims store.Reader
}

func (r splitReader) Claim(id store.ID) (store.Claim, error) { return r.claims.Claim(id) }
func (r splitReader) ClaimsByKey(tenant, key string) ([]store.Claim, error) {
	return r.claims.ClaimsByKey(tenant, key)
}
func (r splitReader) OpenClaims() ([]store.Claim, error) { return r.claims.OpenClaims() }

func (r splitReader) SettledClaims(by time.Time, most int) ([]store.Claim, error) {
	return r.claims.SettledClaims(by, most)
}

type splitTx struct {
	store.Tx
	claims store.Tx
}

func (t splitTx) Claim(id store.ID) (store.Claim, error) { return t.claims.Claim(id) }
func (t splitTx) ClaimsByKey(tenant, key string) ([]store.Claim, error) {
	return t.claims.ClaimsByKey(tenant, key)
}
func (t splitTx) OpenClaims() ([]store.Claim, error) { return t.claims.OpenClaims() }
func (t splitTx) SettledClaims(by time.Time, most int) ([]store.Claim, error) {
	return t.claims.SettledClaims(by, most)
}
func (t splitTx) InsertClaim(c store.Claim) error { return t.claims.InsertClaim(c) }
func (t splitTx) PutClaim(c store.Claim) error    { return t.claims.PutClaim(c) }
func (t splitTx) DeleteClaim(id store.ID) error   { return t.claims.DeleteClaim(id) }
