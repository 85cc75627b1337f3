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
}
