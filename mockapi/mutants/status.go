package mutants

import (
	"context"
	"sync"

	"github.com/oncespec/oncespec/mockapi/command"
	"github.com/oncespec/oncespec/mockapi/flow"
	"github.com/oncespec/oncespec/mockapi/reference"
)

var statusMutants = []Mutant{
	{
		Name:      "status-for-anybody",
		Defect:    "Every tenant can read the state of every operation.",
		Stage:     "Status",
		Operation: "create-ticket",
		Must:      []string{"status/authorised"},
		Install: func(f *flow.Flow) {
			status := f.Status
			f.Status = func(ctx context.Context, principal flow.Principal, key string) (flow.Answer, error) {
				answer, err := status(ctx, principal, key)
				for _, tenant := range f.Tokens {
					if err == nil {
						break
					}
					answer, err = status(ctx, flow.Principal{Tenant: tenant}, key)
				}
				return answer, err
			}
		},
	},
	{
		Name:      "status-unknown-reads-failed",
		Defect:    "An operation with an unknown outcome reads as failed.",
		Stage:     "Status",
		Operation: "create-ticket",
		Must:      []string{"status/unknown"},
		May: []May{
			{"status/monotonic", "what read as failed is found to have been done, and reads as succeeded"},
		},
		Install: reading(func(entry flow.Entry) flow.Entry {
			if entry.State == reference.Unknown {
				entry.State = reference.Failed
			}
			return entry
		}),
	},
	{
		Name:      "status-only-when-done",
		Defect:    "An operation in progress has no status resource yet.",
		Stage:     "Status",
		Operation: "create-ticket",
		Must:      []string{"status/in-progress"},
		Install: reading(func(entry flow.Entry) flow.Entry {
			if entry.State == reference.InProgress {
				entry.State = reference.Absent
			}
			return entry
		}),
	},
	{
		Name:      "status-never-final",
		Defect:    "Completed operations read as in progress.",
		Stage:     "Status",
		Operation: "create-ticket",
		Must:      []string{"status/final#succeeded", "status/final#refused"},
		Install: reading(func(entry flow.Entry) flow.Entry {
			if entry.State.Final() {
				entry.State = reference.InProgress
			}
			return entry
		}),
	},
	{
		Name:      "status-without-result",
		Defect:    "The status of a completed operation does not say what came of it.",
		Stage:     "Status",
		Operation: "create-ticket",
		Must:      []string{"status/final#reference"},
		Install: reading(func(entry flow.Entry) flow.Entry {
			entry.Answer = flow.Answer{}
			return entry
		}),
	},
	{
		Name:      "status-changes-back",
		Defect:    "A completed operation reads as succeeded once, then as in progress again.",
		Stage:     "Status",
		Operation: "create-ticket",
		Must:      []string{"status/monotonic"},
		Install: func(f *flow.Flow) {
			var told sync.Map
			reading(func(entry flow.Entry) flow.Entry {
				if entry.State.Final() {
					if _, again := told.LoadOrStore(entry.ID(), true); again {
						entry.State = reference.InProgress
					}
				}
				return entry
			})(f)
		},
	},
	{
		Name:      "status-not-by-key",
		Defect:    "The status resource knows operations by an internal id only, which a lost answer takes with it.",
		Stage:     "Status",
		Operation: "create-ticket",
		Must:      []string{"status/by-key"},
		Install:   reading(func(flow.Entry) flow.Entry { return flow.Entry{} }),
	},
}

// reading changes what the status resource says of an entry.
func reading(change func(flow.Entry) flow.Entry) func(*flow.Flow) {
	return func(f *flow.Flow) {
		f.Status = func(ctx context.Context, principal flow.Principal, key string) (flow.Answer, error) {
			entry, err := f.Newest(ctx, principal.Tenant, key)
			if err != nil {
				return flow.Answer{}, err
			}
			entry = change(entry)
			if !flow.Readable(entry) {
				return flow.Answer{}, command.NotFound("operation", key)
			}
			return flow.StatusAnswer(key, entry)
		}
	}
}
