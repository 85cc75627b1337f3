package catalogue

import "github.com/oncespec/oncespec/scenarios/verdict"

var raceRows = []Requirement{
	{
		ID:        "race/one-effect",
		Sentence:  "N simultaneous duplicates make one effect.",
		Level:     verdict.Must,
		Premises:  []string{"replay/one-effect"},
		Needs:     []Need{NeedState, NeedKeyHeader},
		Sources:   []Source{PreventDuplicates, ToolKeys, MissingKey, DuplicateCharges, Draft},
		Scenarios: []string{"race/one-effect"},
	},
	{
		ID:        "race/answers",
		Sentence:  "Every simultaneous duplicate is answered with the result or the declared in-flight answer, never with a 5xx.",
		Level:     verdict.Must,
		Premises:  []string{"replay/answered", "race/one-effect"},
		Needs:     []Need{NeedKeyHeader},
		Sources:   []Source{DuplicateCharges, Field},
		Scenarios: []string{"race/one-effect"},
	},
	{
		ID:        "race/changed-payload",
		Sentence:  "Of N simultaneous requests with one key and different payloads one executes; the others are refused or told to wait.",
		Level:     verdict.Must,
		Premises:  []string{"replay/one-effect", "race/one-effect", "race/answers", "conflict/refused", "conflict/no-effect"},
		Needs:     []Need{NeedState, NeedChange, NeedKeyHeader},
		Sources:   []Source{DuplicateCharges},
		Scenarios: []string{"race/changed-payload"},
	},
	{
		ID:        "race/distinct-keys",
		Sentence:  "N simultaneous requests with N keys make N effects.",
		Level:     verdict.Must,
		Needs:     []Need{NeedState, NeedKeyHeader},
		Sources:   []Source{PreventDuplicates},
		Scenarios: []string{"race/distinct-keys"},
	},
	{
		ID:        "race/in-flight",
		Sentence:  "A duplicate that arrives while the first is held gets the declared in-flight answer.",
		Level:     verdict.Should,
		Premises:  []string{"replay/one-effect", "race/one-effect"},
		Needs:     []Need{NeedGate, NeedKeyHeader},
		Sources:   []Source{Draft, DuplicateCharges},
		Scenarios: []string{"race/in-flight"},
	},
	{
		ID:        "race/in-flight-then-replay",
		Sentence:  "After the first completes, the early duplicate's retry gets its result.",
		Level:     verdict.Must,
		Premises:  []string{"replay/answered", "race/one-effect"},
		Needs:     []Need{NeedGate, NeedState, NeedKeyHeader},
		Sources:   []Source{PreventDuplicates, DuplicateCharges},
		Scenarios: []string{"race/in-flight"},
	},
	{
		ID:        "race/retry-after",
		Sentence:  "An in-flight refusal says when to come back.",
		Level:     verdict.Should,
		Premises:  []string{"race/one-effect", "race/in-flight"},
		Needs:     []Need{NeedGate, NeedKeyHeader},
		Sources:   []Source{Field},
		Scenarios: []string{"race/in-flight"},
	},
}
