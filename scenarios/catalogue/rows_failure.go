package catalogue

import "github.com/oncespec/oncespec/scenarios/verdict"

var failureRows = []Requirement{
	{
		ID:        "failure/transient",
		Sentence:  "A downstream failure before any effect is stored or retried as declared, and never leaves the key unusable.",
		Level:     verdict.Must,
		Premises:  []string{"replay/one-effect"},
		Needs:     []Need{NeedGate, NeedState, NeedKeyHeader},
		Sources:   []Source{MissingKey, Field},
		Scenarios: []string{"failure/transient"},
	},
	{
		ID:       "failure/stored",
		Sentence: "4xx and 5xx answers are stored or not as declared.",
		Level:    verdict.Should,
		Parts: []Part{
			{ID: "4xx", Sentence: "Refusals.", Needs: []Need{NeedRefused}},
			{ID: "5xx", Sentence: "Failures.", Needs: []Need{NeedCrash}},
		},
		Premises:  []string{"replay/answered", "conflict/no-effect"},
		Needs:     []Need{NeedKeyHeader},
		Sources:   []Source{MissingKey, DuplicateCharges, Draft},
		Scenarios: []string{"failure/stored"},
	},
	{
		ID:        "failure/validation",
		Sentence:  "A refused invalid payload consumes the key or not as declared.",
		Level:     verdict.Should,
		Needs:     []Need{NeedInvalid, NeedKeyHeader},
		Sources:   []Source{Field},
		Scenarios: []string{"failure/validation"},
	},
	{
		ID:        "failure/handler-crash",
		Sentence:  "A 5xx from a broken handler leaves the key usable or its state queryable.",
		Level:     verdict.Must,
		Needs:     []Need{NeedCrash, NeedKeyHeader},
		Sources:   []Source{Field},
		Scenarios: []string{"failure/handler-crash"},
	},
	{
		ID:       "failure/unknown",
		Sentence: "A downstream timeout after the effect is reported as unknown, and a retry does not execute it again.",
		Level:    verdict.Must,
		Parts: []Part{
			{ID: "reported", Sentence: "It is not answered as a known failure."},
			{ID: "one-effect", Sentence: "No retry executes it again."},
			{ID: "resolves", Sentence: "Once downstream answers again, a retry gets the result.", Level: verdict.Should},
		},
		Premises:  []string{"replay/answered"},
		Needs:     []Need{NeedGate, NeedState, NeedKeyHeader},
		Sources:   []Source{PreventDuplicates, ToolKeys},
		Scenarios: []string{"failure/unknown"},
	},
	{
		ID:       "failure/store-down",
		Sentence: "With its database cut off, the target refuses rather than execute unprotected.",
		Level:    verdict.Must,
		Parts: []Part{
			{ID: "cut", Sentence: "Its database cannot be reached."},
			{ID: "silent", Sentence: "Its database takes everything and answers nothing."},
		},
		Premises:  []string{"replay/one-effect", "race/one-effect"},
		Needs:     []Need{NeedStoreCut, NeedState, NeedKeyHeader},
		Sources:   []Source{Field},
		Scenarios: []string{"failure/store-down"},
	},
	{
		ID:        "failure/business",
		Sentence:  "A final business refusal answers the same again.",
		Level:     verdict.Should,
		Premises:  []string{"replay/answered", "replay/many-times", "replay/no-downstream"},
		Needs:     []Need{NeedRefused, NeedKeyHeader},
		Sources:   []Source{ToolKeys},
		Scenarios: []string{"failure/business"},
	},
}
