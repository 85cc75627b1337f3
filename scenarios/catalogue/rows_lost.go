package catalogue

import (
	"slices"

	"github.com/oncespec/oncespec/scenarios/verdict"
)

var lostRows = []Requirement{
	{
		ID:        "lost/response",
		Sentence:  "After a response that was dropped when the work had completed, the retry replays and there is one effect.",
		Level:     verdict.Must,
		Premises:  []string{"replay/answered"},
		Needs:     []Need{NeedState, NeedKeyHeader},
		Sources:   []Source{PreventDuplicates, ToolKeys, MissingKey, DuplicateCharges, Draft},
		Scenarios: []string{"lost/response"},
	},
	{
		ID:        "lost/partial-response",
		Sentence:  "After a response that was cut in the middle of its body, the retry replays and there is one effect.",
		Level:     verdict.Must,
		Premises:  []string{"replay/answered"},
		Needs:     []Need{NeedState, NeedKeyHeader},
		Sources:   []Source{PreventDuplicates},
		Scenarios: []string{"lost/partial-response"},
	},
	{
		ID:        "lost/reset",
		Sentence:  "After a connection reset instead of a response, the retry replays and there is one effect.",
		Level:     verdict.Must,
		Premises:  []string{"replay/answered"},
		Needs:     []Need{NeedState, NeedKeyHeader},
		Sources:   []Source{PreventDuplicates},
		Scenarios: []string{"lost/reset"},
	},
	{
		ID:        "lost/slow-response",
		Sentence:  "When the client gives up while the work runs on, a retry during it and one after it make no second effect.",
		Level:     verdict.Must,
		Premises:  []string{"replay/answered", "race/one-effect", "race/in-flight-then-replay"},
		Needs:     []Need{NeedState, NeedKeyHeader},
		Sources:   []Source{PreventDuplicates, MissingKey},
		Scenarios: []string{"lost/slow-response"},
	},
	{
		ID:        "lost/partial-request",
		Sentence:  "A request that was cut before it was whole has no effect; its retry executes once.",
		Level:     verdict.Must,
		Premises:  []string{"replay/answered"},
		Needs:     []Need{NeedState, NeedKeyHeader, NeedDirect},
		Sources:   []Source{PreventDuplicates},
		Scenarios: []string{"lost/partial-request"},
	},
	{
		ID:        "lost/gateway-error",
		Sentence:  "After an intermediary's 502 or 504 for work that completed, the retry replays and there is one effect.",
		Level:     verdict.Must,
		Premises:  []string{"replay/answered"},
		Needs:     []Need{NeedState, NeedKeyHeader},
		Sources:   []Source{DuplicateCharges},
		Scenarios: []string{"lost/gateway-error"},
	},
	{
		ID:        "lost/client-gone",
		Sentence:  "After a client that hung up right after sending, later retries converge on one effect and are not stuck.",
		Level:     verdict.Must,
		Premises:  []string{"replay/answered", "race/one-effect", "race/in-flight-then-replay"},
		Needs:     []Need{NeedState, NeedKeyHeader, NeedDirect},
		Sources:   []Source{Field},
		Scenarios: []string{"lost/client-gone"},
	},
	{
		ID:        "lost/slow-request",
		Sentence:  "A request that dribbles in makes one effect.",
		Level:     verdict.Should,
		Premises:  []string{"replay/answered"},
		Needs:     []Need{NeedState, NeedKeyHeader},
		Sources:   []Source{Field},
		Scenarios: []string{"lost/slow-request"},
	},
	{
		ID:        "lost/storm",
		Sentence:  "After many operations of retrying clients under random faults, every operation was done exactly once, and the reference explains the history.",
		Level:     verdict.Must,
		Premises:  calm(),
		Needs:     []Need{NeedState, NeedKeyHeader},
		Sources:   []Source{PreventDuplicates, MissingKey},
		Scenarios: []string{"lost/storm"},
	},
}

// calm is what a storm builds on: what is wrong with one fault at a time is not told again by many at once.
func calm() (premises []string) {
	premises = []string{"replay/answered", "replay/same-status", "replay/same-body", "conflict/refused", "conflict/no-effect", "conflict/original-intact", "conflict/repeatable", "replay/no-downstream", "downstream/stable-key", "failure/transient", "failure/unknown",
		"lost/response", "lost/partial-response", "lost/reset", "lost/slow-response", "lost/partial-request", "lost/gateway-error", "lost/client-gone"}
	for _, r := range slices.Concat(raceRows, crashRows) {
		if r.Level == verdict.Must {
			premises = append(premises, r.ID)
		}
	}
	return append(premises, "crash/not-stuck")
}
