package catalogue

import "github.com/oncespec/oncespec/scenarios/verdict"

var downstreamRows = []Requirement{
	{
		ID:        "downstream/stable-key",
		Sentence:  "Every re-send of one operation carries one downstream key.",
		Level:     verdict.Must,
		Premises:  []string{"replay/one-effect"},
		Needs:     []Need{NeedGate, NeedKeyHeader},
		Sources:   []Source{PreventDuplicates, ToolKeys},
		Scenarios: []string{"failure/transient", "failure/unknown", "failure/stored", "crash/after-claim", "crash/after-effect"},
	},
	{
		ID:        "downstream/one-effect",
		Sentence:  "One operation is booked downstream once.",
		Level:     verdict.Must,
		Premises:  []string{"downstream/stable-key", "replay/no-downstream", "race/one-effect"},
		Needs:     []Need{NeedGate, NeedKeyHeader},
		Sources:   []Source{PreventDuplicates, ToolKeys},
		Scenarios: []string{"*"},
	},
	{
		ID:        "downstream/reconciles",
		Sentence:  "After quiet, acknowledged intents, resources, values and downstream bookings agree with one another.",
		Level:     verdict.Must,
		Premises:  []string{"replay/one-effect", "downstream/one-effect", "race/one-effect", "race/distinct-keys", "race/replicas"},
		Needs:     []Need{NeedState, NeedGate, NeedKeyHeader},
		Sources:   []Source{MissingKey},
		Scenarios: []string{"*"},
	},
	{
		ID:        "downstream/own-key",
		Sentence:  "Two operations carry two downstream keys.",
		Level:     verdict.Must,
		Needs:     []Need{NeedGate, NeedKeyHeader},
		Sources:   []Source{PreventDuplicates},
		Scenarios: []string{"key/identity"},
	},
}
