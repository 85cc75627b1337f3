package mutants

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/oncespec/oncespec/mockapi/flow"
	"github.com/oncespec/oncespec/mockapi/reference"
	"github.com/oncespec/oncespec/mockapi/store"
)

var claimMutants = []Mutant{
	{
		Name:      "check-then-insert",
		Defect:    "It looks for the key, finds nothing, and inserts it 5 ms later: two that look in between both execute.",
		Stage:     "Claim",
		Operation: "create-ticket",
		Must:      []string{"race/one-effect"},
		Install: func(f *flow.Flow) {
			unfenced(f)
			f.Claim = func(ctx context.Context, call *flow.Call) (flow.Entry, reference.Decision, error) {
				entry, decision, err := look(ctx, f, call)
				if err != nil || decision != reference.Execute {
					return entry, decision, err
				}
				pause(ctx, window)
				return entry, decision, keep(ctx, f, entry)
			}
		},
	},
	{
		Name:      "claim-after-effect",
		Defect:    "It records the key only once the work is done, so duplicates that arrive during the work execute as well.",
		Stage:     "Claim",
		Operation: "create-ticket",
		Must:      []string{"race/one-effect"},
		May: []May{
			{"status/in-progress", "what is not recorded cannot read as in progress"},
		},
		Install: func(f *flow.Flow) {
			unfenced(f)
			f.Claim = func(ctx context.Context, call *flow.Call) (flow.Entry, reference.Decision, error) {
				entry, decision, err := look(ctx, f, call)
				if decision == reference.Execute {
					pause(ctx, window)
				}
				return entry, decision, err
			}
		},
	},
	{
		Name:      "per-worker-lock",
		Defect:    "Its lock lives in one of the two workers that share the port, so duplicates that reach both execute twice.",
		Stage:     "Claim",
		Operation: "create-ticket",
		Must:      []string{"race/one-effect"},
		May: []May{
			{"status/in-progress", "a lock in memory is no record"},
		},
		Install: perWorkerLock,
	},
	{
		Name:      "loser-gets-500",
		Defect:    "The loser of a race for the key runs into the unique index and is answered 500.",
		Stage:     "Claim",
		Operation: "create-ticket",
		Must:      []string{"race/answers"},
		Install: func(f *flow.Flow) {
			f.Claim = func(ctx context.Context, call *flow.Call) (flow.Entry, reference.Decision, error) {
				entry, decision, err := look(ctx, f, call)
				if err != nil || decision != reference.Execute {
					return entry, decision, err
				}
				pause(ctx, window)
				return entry, decision, f.Store.Update(ctx, func(tx store.Tx) error {
					if entry.Version > 1 {
						return flow.Save(tx, entry)
					}
					return flow.Insert(tx, entry)
				})
			}
		},
	},
	{
		Name:      "loser-gets-winners-result",
		Defect:    "The loser of a race for the key waits for the winner and gets its result, whatever payload it came with.",
		Stage:     "Claim",
		Operation: "create-ticket",
		Must:      []string{"race/changed-payload"},
		Install:   loserGetsWinnersResult,
	},
	{
		Name:      "in-flight-executes",
		Defect:    "A duplicate of a request in progress waits 50 ms, takes the first for dead and executes.",
		Stage:     "Wait",
		Operation: "create-ticket",
		Must:      []string{"race/one-effect"},
		Install: func(f *flow.Flow) {
			f.Wait = func(ctx context.Context, call *flow.Call, _ flow.Entry) (flow.Answer, bool, error) {
				pause(ctx, 10*window)
				answer, err := f.Unkeyed(ctx, call)
				return answer, false, err
			}
		},
	},
	{
		Name:      "in-flight-says-success",
		Defect:    "A duplicate of a request in progress is answered 202 without the result.",
		Stage:     "Wait",
		Operation: "create-ticket",
		Must:      []string{"race/in-flight"},
		Install: func(f *flow.Flow) {
			f.Wait = func(context.Context, *flow.Call, flow.Entry) (flow.Answer, bool, error) {
				return flow.Answer{Status: http.StatusAccepted, Header: map[string][]string{"Content-Type": {"application/json"}}, Body: []byte(`{"accepted":true}`)}, false, nil
			}
		},
	},
	{
		Name:      "no-retry-after",
		Defect:    "A duplicate of a request in progress is not told when to come back.",
		Stage:     "Wait",
		Operation: "create-ticket",
		Must:      []string{"race/retry-after"},
		Install: func(f *flow.Flow) {
			f.Wait = func(context.Context, *flow.Call, flow.Entry) (flow.Answer, bool, error) {
				answer := flow.With(f.InFlight(), "Retry-After", "")
				delete(answer.Header, "Retry-After")
				return answer, false, nil
			}
		},
	},
	{
		Name:      "in-flight-for-ever",
		Defect:    "A key that was once found in progress is answered as in progress for ever.",
		Stage:     "Wait",
		Operation: "create-ticket",
		Must:      []string{"race/in-flight-then-replay"},
		Install: func(f *flow.Flow) {
			var met sync.Map
			wait, replay := f.Wait, f.Replay
			f.Wait = func(ctx context.Context, call *flow.Call, entry flow.Entry) (flow.Answer, bool, error) {
				met.Store(call.ID, true)
				return wait(ctx, call, entry)
			}
			f.Replay = func(ctx context.Context, call *flow.Call, entry flow.Entry) (flow.Answer, error) {
				if _, spoilt := met.Load(call.ID); spoilt {
					return f.InFlight(), nil
				}
				return replay(ctx, call, entry)
			}
		},
	},
	{
		Name:      "requests-collapse",
		Defect:    "Requests of one operation that run at the same time get the first one's result, whatever their keys.",
		Stage:     "Execute",
		Operation: "create-ticket",
		Must:      []string{"race/distinct-keys"},
		May: []May{
			{"race/one-effect", "its duplicates of ten keys at once collapse as well: a key that got another's result has no effect of its own"},
		},
		Install: func(f *flow.Flow) {
			var running singleflight.Group
			execute := f.Execute
			f.Execute = func(ctx context.Context, call *flow.Call, entry flow.Entry) (flow.Answer, error) {
				mine := false
				shared, err, _ := running.Do(entry.Tenant+entry.Operation, func() (any, error) {
					mine = true
					pause(ctx, window)
					return execute(ctx, call, entry)
				})
				answer, _ := shared.(flow.Answer)
				if mine || err != nil {
					return answer, err
				}
				return f.Complete(ctx, entry, func(store.Tx) (flow.Answer, error) { return answer, nil })
			}
		},
	},
	{
		Name:      "claims-of-one-process",
		Defect:    "It knows the keys that it is at work on itself, and takes a claim of another replica for a dead process's leftover: both execute.",
		Stage:     "Claim",
		Operation: "create-ticket",
		Must:      []string{"race/replicas"},
		Install:   claimsOfOneProcess,
	},
}

// loserGetsWinnersResult compares payloads with the record that it finds, and not with the one that it collides with.
func loserGetsWinnersResult(f *flow.Flow) {
	claim := f.Claim
	f.Claim = func(ctx context.Context, call *flow.Call) (flow.Entry, reference.Decision, error) {
		entry, decision, err := look(ctx, f, call)
		if err != nil || decision != reference.Execute || entry.Version > 1 {
			return claim(ctx, call)
		}
		pause(ctx, window)
		err = f.Store.Update(ctx, func(tx store.Tx) error { return flow.Insert(tx, entry) })
		if !errors.Is(err, store.ErrExists) {
			return entry, reference.Execute, err
		}
		winner, err := settled(ctx, f, call.ID, time.Minute)
		if err != nil || !winner.State.Final() {
			return claim(ctx, call)
		}
		return winner, reference.Replay, nil
	}
}

// perWorkerLock has requests served by two workers in turn, each with a table of the keys that it is at work on.
func perWorkerLock(f *flow.Flow) {
	unfenced(f)
	var mu sync.Mutex // of the model, not of the workers
	turn, holders := 0, [2]map[store.ID]string{{}, {}}
	f.Claim = func(ctx context.Context, call *flow.Call) (flow.Entry, reference.Decision, error) {
		mu.Lock()
		defer mu.Unlock()
		turn++
		holder := holders[turn%len(holders)]
		if holder[call.ID] != "" {
			return flow.Entry{}, reference.Wait, nil
		}
		entry, decision, err := look(ctx, f, call)
		if err == nil && decision == reference.Execute {
			holder[call.ID] = call.Owner
		}
		return entry, decision, err
	}
	execute := f.Execute
	f.Execute = func(ctx context.Context, call *flow.Call, entry flow.Entry) (flow.Answer, error) {
		defer func() {
			mu.Lock()
			defer mu.Unlock()
			for _, holder := range holders {
				if holder[call.ID] == call.Owner {
					delete(holder, call.ID)
				}
			}
		}()
		pause(ctx, window)
		return execute(ctx, call, entry)
	}
}
