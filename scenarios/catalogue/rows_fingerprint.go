package catalogue

import "github.com/oncespec/oncespec/scenarios/verdict"

var fingerprintRows = []Requirement{
	{
		ID:        "fingerprint/same-meaning",
		Sentence:  "Each rewrite that keeps the meaning replays.",
		Level:     verdict.Must,
		Premises:  []string{"replay/answered"},
		Needs:     []Need{NeedState, NeedKeyHeader},
		Sources:   []Source{PreventDuplicates},
		Scenarios: []string{"fingerprint/rewrites"},
	},
	{
		ID:        "fingerprint/other-meaning",
		Sentence:  "Each change of meaning is refused: neither executed nor answered with the stored result.",
		Level:     verdict.Must,
		Premises:  []string{"replay/one-effect", "conflict/refused", "conflict/no-effect"},
		Needs:     []Need{NeedState, NeedKeyHeader},
		Sources:   []Source{PreventDuplicates, DuplicateCharges},
		Scenarios: []string{"fingerprint/rewrites"},
	},
	{
		ID:        "fingerprint/volatile",
		Sentence:  "Trace, date, user-agent and retry-count headers and a renewed token of the same principal do not count.",
		Level:     verdict.Must,
		Premises:  []string{"replay/answered"},
		Needs:     []Need{NeedKeyHeader},
		Sources:   []Source{PreventDuplicates},
		Scenarios: []string{"fingerprint/volatile"},
	},
	{
		ID:        "fingerprint/declared",
		Sentence:  "Changes that a contract decides behave as declared, or, undeclared, pass the equivalence oracle.",
		Level:     verdict.Must,
		Premises:  []string{"replay/one-effect", "conflict/refused", "conflict/no-effect"},
		Needs:     []Need{NeedState, NeedKeyHeader},
		Sources:   []Source{PreventDuplicates},
		Scenarios: []string{"fingerprint/rewrites"},
	},
	{
		ID:        "fingerprint/property",
		Sentence:  "A random search over bodies and rewrites finds no counterexample.",
		Level:     verdict.Must,
		Premises:  []string{"replay/one-effect", "conflict/refused", "fingerprint/same-meaning", "fingerprint/other-meaning"},
		Needs:     []Need{NeedState, NeedJSON, NeedKeyHeader},
		Sources:   []Source{PreventDuplicates},
		Scenarios: []string{"fingerprint/property"},
	},
}
