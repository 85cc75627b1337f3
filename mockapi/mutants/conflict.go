package mutants

import (
	"context"
	"net/http"
	"sync"

	"github.com/go-json-experiment/json"

	"github.com/oncespec/oncespec/mockapi/command"
	"github.com/oncespec/oncespec/mockapi/flow"
	"github.com/oncespec/oncespec/mockapi/reference"
	"github.com/oncespec/oncespec/mockapi/store"
)

var conflictMutants = []Mutant{
	{
		Name:      "mismatch-replays",
		Defect:    "The key alone counts: a changed payload gets the first one's stored answer.",
		Stage:     "Conflict",
		Operation: "create-ticket",
		Must:      []string{"conflict/refused"},
		Install: func(f *flow.Flow) {
			conflict := f.Conflict
			f.Conflict = func(ctx context.Context, call *flow.Call, entry flow.Entry) (flow.Answer, error) {
				if entry.State.Final() {
					return f.Replay(ctx, call, entry)
				}
				return conflict(ctx, call, entry)
			}
		},
	},
	{
		Name:      "mismatch-executes",
		Defect:    "A changed payload under a used key is executed as if it had a key of its own.",
		Stage:     "Conflict",
		Operation: "create-ticket",
		Must:      []string{"conflict/refused", "conflict/no-effect"},
		Install: func(f *flow.Flow) {
			conflict := f.Conflict
			f.Conflict = func(ctx context.Context, call *flow.Call, entry flow.Entry) (flow.Answer, error) {
				if entry.State.Final() {
					return f.Unkeyed(ctx, call)
				}
				return conflict(ctx, call, entry)
			}
		},
	},
	{
		Name:      "mismatch-executes-in-flight",
		Defect:    "It compares payloads only with completed requests: a changed one that comes while the first runs is executed.",
		Stage:     "Conflict",
		Operation: "create-ticket",
		Must:      []string{"conflict/in-flight"},
		May: []May{
			{"race/changed-payload", "the rival that comes second is executed while the first runs"},
		},
		Install: func(f *flow.Flow) {
			conflict := f.Conflict
			f.Conflict = func(ctx context.Context, call *flow.Call, entry flow.Entry) (flow.Answer, error) {
				if entry.State == reference.InProgress {
					return f.Unkeyed(ctx, call)
				}
				return conflict(ctx, call, entry)
			}
		},
	},
	{
		Name:      "mismatch-overwrites",
		Defect:    "A refused changed payload overwrites the record, so the original's retry is refused from then on.",
		Stage:     "Conflict",
		Operation: "create-ticket",
		Must:      []string{"conflict/original-intact"},
		May: []May{
			{"conflict/repeatable", "the second time the changed payload is the one on record"},
			{"race/changed-payload", "a rival that is sent again after the conflict is the one on record"},
		},
		Install: func(f *flow.Flow) {
			conflict := f.Conflict
			f.Conflict = func(ctx context.Context, call *flow.Call, entry flow.Entry) (flow.Answer, error) {
				if entry.State.Final() {
					entry.Fingerprint, entry.Command = call.Fingerprint, call.JSON
					if err := keep(ctx, f, entry); err != nil {
						return flow.Answer{}, err
					}
				}
				return conflict(ctx, call, entry)
			}
		},
	},
	{
		Name:      "mismatch-second-time-replays",
		Defect:    "A conflict is refused once; the same changed payload again gets the first one's answer.",
		Stage:     "Conflict",
		Operation: "create-ticket",
		Must:      []string{"conflict/repeatable"},
		May: []May{
			{"race/changed-payload", "a rival that is sent again is a second conflict"},
		},
		Install: func(f *flow.Flow) {
			type seen struct {
				id          store.ID
				fingerprint string
			}
			var refused sync.Map
			conflict := f.Conflict
			f.Conflict = func(ctx context.Context, call *flow.Call, entry flow.Entry) (flow.Answer, error) {
				if _, again := refused.LoadOrStore(seen{call.ID, call.Fingerprint}, true); again && entry.State.Final() {
					return f.Replay(ctx, call, entry)
				}
				return conflict(ctx, call, entry)
			}
		},
	},
	{
		Name:      "mismatch-gets-500",
		Defect:    "A changed payload under a used key is answered 500.",
		Stage:     "Conflict",
		Operation: "create-ticket",
		Must:      []string{"conflict/refused"},
		May: []May{
			{"conflict/in-flight", "so is one that comes while the first runs"},
		},
		Install: func(f *flow.Flow) {
			f.Conflict = func(context.Context, *flow.Call, flow.Entry) (flow.Answer, error) {
				return flow.Problem(&command.Refusal{Status: http.StatusInternalServerError, Code: "internal", Title: "The server failed"}), nil
			}
		},
	},
	{
		Name:      "conflict-discloses",
		Defect:    "The refusal of a changed payload echoes the first request and its answer.",
		Stage:     "Conflict",
		Operation: "create-ticket",
		Must:      []string{"conflict/no-disclosure"},
		Install: func(f *flow.Flow) {
			conflict := f.Conflict
			f.Conflict = func(ctx context.Context, call *flow.Call, entry flow.Entry) (flow.Answer, error) {
				answer, err := conflict(ctx, call, entry)
				if err != nil {
					return answer, err
				}
				var problem map[string]any
				if err := json.Unmarshal(answer.Body, &problem); err != nil {
					return answer, err
				}
				problem["first_request"], problem["first_answer"] = entry.Command, string(entry.Answer.Body)
				answer.Body, err = json.Marshal(problem, json.Deterministic(true))
				return answer, err
			}
		},
	},
	{
		Name:      "conflict-unexplained",
		Defect:    "The refusal of a changed payload is bare text.",
		Stage:     "Conflict",
		Operation: "create-ticket",
		Must:      []string{"conflict/explained"},
		Install: func(f *flow.Flow) {
			conflict := f.Conflict
			f.Conflict = func(ctx context.Context, call *flow.Call, entry flow.Entry) (flow.Answer, error) {
				answer, err := conflict(ctx, call, entry)
				answer = flow.With(answer, "Content-Type", "text/plain; charset=utf-8")
				answer.Body = []byte("key already used\n")
				return answer, err
			}
		},
	},
	{
		Name:      "failed-first-resumed",
		Defect:    "A changed payload after a failed first attempt resumes the first one's payload and answers with its result.",
		Stage:     "Conflict",
		Operation: "create-ticket",
		Must:      []string{"conflict/after-failure"},
		May: []May{
			{"failure/stored#5xx", "a payload that works is given the failure of the first one, as if that had been kept"},
		},
		Install: func(f *flow.Flow) {
			conflict := f.Conflict
			f.Conflict = func(ctx context.Context, call *flow.Call, entry flow.Entry) (flow.Answer, error) {
				if entry.State != reference.Released {
					return conflict(ctx, call, entry)
				}
				first, err := f.Operation(entry.Operation).Restore(entry.Command)
				if err != nil {
					return flow.Answer{}, err
				}
				resumed := *call
				resumed.Command, resumed.JSON, resumed.Fingerprint = first, entry.Command, entry.Fingerprint
				return f.Do(ctx, &resumed)
			}
		},
	},
}
