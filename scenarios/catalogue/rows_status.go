package catalogue

import "github.com/oncespec/oncespec/scenarios/verdict"

var statusRows = []Requirement{
	{
		ID:        "status/by-key",
		Sentence:  "After a lost answer the operation can be found with only what the caller already held.",
		Level:     verdict.Should,
		Needs:     []Need{NeedStatus, NeedKeyHeader},
		Sources:   []Source{PreventDuplicates},
		Scenarios: []string{"status/by-key"},
	},
	{
		ID:        "status/in-progress",
		Sentence:  "A held operation reads as in progress.",
		Level:     verdict.Should,
		Premises:  []string{"status/by-key"},
		Needs:     []Need{NeedStatus, NeedGate, NeedKeyHeader},
		Sources:   []Source{PreventDuplicates},
		Scenarios: []string{"status/in-progress"},
	},
	{
		ID:       "status/final",
		Sentence: "A completed operation reads as succeeded, a refused one as failed, with a reference to its result.",
		Level:    verdict.Should,
		Parts: []Part{
			{ID: "succeeded", Sentence: "A completed operation reads as succeeded."},
			{ID: "refused", Sentence: "A refused operation reads as failed.", Needs: []Need{NeedRefused}},
			{ID: "reference", Sentence: "The status of a completed operation names its result."},
		},
		Premises:  []string{"status/by-key"},
		Needs:     []Need{NeedStatus, NeedKeyHeader},
		Sources:   []Source{PreventDuplicates, ToolKeys},
		Scenarios: []string{"status/final"},
	},
	{
		ID:        "status/unknown",
		Sentence:  "An operation with an uncertain outcome reads as unknown, never as failed or absent.",
		Level:     verdict.Should,
		Premises:  []string{"status/by-key"},
		Needs:     []Need{NeedStatus, NeedGate, NeedKeyHeader},
		Sources:   []Source{PreventDuplicates, ToolKeys},
		Scenarios: []string{"status/unknown"},
	},
	{
		ID:        "status/authorised",
		Sentence:  "Another principal cannot read an operation's status.",
		Level:     verdict.Must,
		Premises:  []string{"status/by-key"},
		Needs:     []Need{NeedStatus, NeedTenants, NeedKeyHeader},
		Sources:   []Source{PreventDuplicates, ToolKeys},
		Scenarios: []string{"status/authorised"},
	},
	{
		ID:        "status/monotonic",
		Sentence:  "A final state never changes back.",
		Level:     verdict.Must,
		Premises:  []string{"status/by-key", "crash/durable"},
		Needs:     []Need{NeedStatus, NeedKeyHeader},
		Sources:   []Source{ToolKeys},
		Scenarios: []string{"*"},
	},
}
