package catalogue

import "github.com/oncespec/oncespec/scenarios/verdict"

var crashRows = []Requirement{
	{
		ID:        "crash/after-claim",
		Sentence:  "Killed after the claim and before the effect, the target makes at most one effect, whatever is retried.",
		Level:     verdict.Must,
		Premises:  []string{"replay/one-effect", "race/one-effect"},
		Needs:     []Need{NeedLifecycle, NeedGate, NeedState, NeedKeyHeader},
		Sources:   []Source{PreventDuplicates, ToolKeys},
		Scenarios: []string{"crash/after-claim"},
	},
	{
		ID:        "crash/after-effect",
		Sentence:  "Killed after the effect and before it was recorded, the target makes no second effect.",
		Level:     verdict.Must,
		Premises:  []string{"replay/one-effect", "race/one-effect"},
		Needs:     []Need{NeedLifecycle, NeedGate, NeedState, NeedKeyHeader},
		Sources:   []Source{PreventDuplicates, ToolKeys},
		Scenarios: []string{"crash/after-effect", "crash/after-claim"},
	},
	{
		ID:        "crash/after-record",
		Sentence:  "Killed once its answer had begun, the target replays and there is one effect.",
		Level:     verdict.Must,
		Premises:  []string{"replay/one-effect", "crash/durable"},
		Needs:     []Need{NeedLifecycle, NeedState, NeedKeyHeader},
		Sources:   []Source{PreventDuplicates, MissingKey},
		Scenarios: []string{"crash/after-record"},
	},
	{
		ID:        "crash/durable",
		Sentence:  "Completed results still replay after a kill and a restart.",
		Level:     verdict.Must,
		Premises:  []string{"replay/answered"},
		Needs:     []Need{NeedLifecycle, NeedState, NeedKeyHeader},
		Sources:   []Source{MissingKey},
		Scenarios: []string{"crash/durable"},
	},
	{
		ID:        "crash/not-stuck",
		Sentence:  "After the restart the operation resolves, or its state reads unknown, within the declared time.",
		Level:     verdict.Should,
		Premises:  []string{"replay/answered"},
		Needs:     []Need{NeedLifecycle, NeedGate, NeedKeyHeader},
		Sources:   []Source{PreventDuplicates, ToolKeys, Field},
		Scenarios: []string{"crash/after-claim", "crash/after-effect"},
	},
	{
		ID:       "crash/sweep",
		Sentence: "Killed at instants spread over its handling time, the target never makes two effects and never loses one that it acknowledged.",
		Level:    verdict.Must,
		Parts: []Part{
			{ID: "in-flight", Sentence: "It had the request and had not begun to answer."},
			{ID: "after-claim", Sentence: "Its state read in progress, and nothing was done.", Needs: []Need{NeedStatus}},
			{ID: "after-effect", Sentence: "An effect showed, and its answer had not begun."},
			{ID: "after-record", Sentence: "Its answer had begun."},
			{ID: "round-trip", Sentence: "It was waiting for an answer of its database.", Needs: []Need{NeedStoreLink}},
			{ID: "resolves", Sentence: "After the restart the operation resolves, or its state reads unknown.", Level: verdict.Should},
		},
		Premises:  []string{"replay/one-effect", "race/one-effect", "crash/durable", "crash/after-claim", "crash/after-effect", "crash/after-record"},
		Needs:     []Need{NeedLifecycle, NeedState, NeedKeyHeader},
		Sources:   []Source{PreventDuplicates},
		Scenarios: []string{"crash/sweep"},
	},
}
