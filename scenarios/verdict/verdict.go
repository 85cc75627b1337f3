package verdict

// Outcome of one requirement (or one of its parts) on one target.
type Outcome string

// The outcomes. Fail outranks all others when they are summed up.
const (
	Pass         Outcome = "pass"
	Fail         Outcome = "fail"
	Warn         Outcome = "warn"         // a SHOULD that does not hold
	Inconclusive Outcome = "inconclusive" // the fault did not land, or the state could not be read
	NotAssessed  Outcome = "not assessed" // a need is not offered, or a premise failed
	Error        Outcome = "error"        // ours
)

// Level is the keyword of a requirement or part.
type Level string

// The levels. A failed Should is a warning unless the run is strict.
const (
	Must   Level = "MUST"
	Should Level = "SHOULD"
)

// Proof says how well it is shown that the fault landed.
type Proof string

// The proofs.
const (
	Strong Proof = "strong" // seen at the target, or on bytes that passed
	Weak   Proof = "weak"   // concluded from the client's side
	None   Proof = "none"   // nothing to prove, or nothing was proven
)

// Blame says whose doing a verdict other than pass is.
type Blame string

// The blames.
const (
	Nobody      Blame = ""
	Target      Blame = "target"
	Environment Blame = "environment"
	Harness     Blame = "harness"
)

// Verdict on one (requirement, part, operations). That triple is its identity.
type Verdict struct {
	ID         string   `json:"id"`
	Part       string   `json:"part,omitempty"`
	Level      Level    `json:"level"`
	Operations []string `json:"operations"`
	Verdict    Outcome  `json:"verdict"`
	Proof      Proof    `json:"proof"`
	Blame      Blame    `json:"blame,omitempty"`
	Detail     string   `json:"detail"`
	Scenario   string   `json:"scenario,omitempty"`
	Histories  []string `json:"histories,omitempty"` // the smallest that shows it first
}

// Name is the requirement with its part: "replay/one-effect#downstream".
func (v Verdict) Name() string {
	if v.Part == "" {
		return v.ID
	}
	return v.ID + "#" + v.Part
}

// Assessed tells whether the target was put to the test, with a result.
func (v Verdict) Assessed() bool { return v.Verdict == Pass || v.Verdict == Fail || v.Verdict == Warn }
