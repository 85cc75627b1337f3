package run

import (
	"fmt"
	"slices"
	"time"

	"github.com/oncespec/oncespec/mockapi/contract"
	"github.com/oncespec/oncespec/scenarios/catalogue"
	"github.com/oncespec/oncespec/scenarios/storm"
	"github.com/oncespec/oncespec/scenarios/target"
	"github.com/oncespec/oncespec/scenarios/target/config"
)

// PlanSchema names the version of plan.json.
const PlanSchema = "oncespec.plan/v1"

// Plan is what a run will do, and with the steady state known, why it leaves the rest. Rules read its contract.
type Plan struct {
	Schema     string            `json:"schema"`
	Target     string            `json:"target"`
	URL        string            `json:"url"`
	Seed       uint64            `json:"seed"`
	Strict     bool              `json:"strict,omitempty"` // a failed SHOULD is a fail
	Rerun      []string          `json:"rerun"`            // arguments of the command that started the run, for rerun commands
	Storm      *storm.Length     `json:"storm,omitempty"`  // how long storms last; nil: as long as usual, or one schedule is played again
	Contract   contract.Contract `json:"contract"`
	Selection  Selection         `json:"selection,omitzero"` // what was asked for, by the flags
	Operations []PlanOperation   `json:"operations"`
	Steps      []Step            `json:"steps"`
	Checks     []Check           `json:"checks"`
	Ended      string            `json:"ended,omitempty"` // why the run ended before all steps were done; empty: it did not
	Tool       string            `json:"tool,omitempty"`  // version of the program that made it
	Shard      *Shard            `json:"shard,omitempty"` // which part of a divided plan this is; nil: all of it
	ShardEnds  []ShardEnd        `json:"parts,omitempty"` // of a plan whose shards were merged
}

// PlanOperation is one operation with the needs it offers.
type PlanOperation struct {
	Name    string                    `json:"name"`
	Method  string                    `json:"method"`
	Path    string                    `json:"path"`
	Offers  []catalogue.Need          `json:"offers"`
	Missing map[catalogue.Need]string `json:"missing,omitempty"` // need → why it is not offered
	Learned bool                      `json:"learned,omitempty"` // by the steady state; else what the configuration says
}

// Step is one scenario on one operation.
type Step struct {
	Scenario     string   `json:"scenario"`
	Operation    string   `json:"operation"`
	Requirements []string `json:"requirements"`    // judged by its histories alone
	Helps        []string `json:"helps,omitempty"` // judged by its histories and others'
}

// Name is the step in a word, as labels and progress show it.
func (s Step) Name() string { return s.Scenario + " " + s.Operation }

// Check is one requirement to be judged on one operation.
type Check struct {
	Requirement string `json:"requirement"`
	Operation   string `json:"operation"`
	Skip        string `json:"skip,omitempty"` // why it cannot be assessed; empty: it will be
}

// NewPlan selects what to do, by what the configuration offers. What only the steady state can tell is assumed to be offered.
func NewPlan(cfg *config.Config, sel Selection, seed uint64) (*Plan, error) {
	requirements, err := sel.requirements()
	if err != nil {
		return nil, err
	}
	names, err := sel.operations(cfg.Order)
	if err != nil {
		return nil, err
	}
	redacted := target.Redaction(cfg)
	p := &Plan{Schema: PlanSchema, Target: cfg.Target.Name, URL: cfg.Target.URL, Seed: seed, Selection: sel, Contract: cfg.Contract}
	for _, name := range names {
		op := cfg.Operations[name]
		po := PlanOperation{Name: name, Method: op.Request.Method, Path: redacted(op.Request.Path), Missing: map[catalogue.Need]string{}}
		po.Offers = target.Offers(cfg, op)
		p.Operations = append(p.Operations, po)
		for _, r := range requirements {
			p.Checks = append(p.Checks, Check{Requirement: r.ID, Operation: name})
		}
	}
	p.refresh()
	p.schedule()
	if len(p.Steps) == 0 {
		return nil, fmt.Errorf("nothing that was selected can be assessed on this target: %s", p.Checks[0].Skip)
	}
	return p, nil
}

// SetStormLength says how long storms last, or why they cannot last so long under the limits of the configuration.
func (p *Plan) SetStormLength(cfg *config.Config, l storm.Length) error {
	if l == (storm.Length{}) {
		return nil
	}
	storms := 0
	for _, s := range p.Steps {
		if s.Scenario == "lost/storm" {
			storms++
		}
	}
	switch all := time.Duration(storms) * l.For; {
	case l.Operations < 0 || l.For < 0:
		return fmt.Errorf("a storm of %d operations and %v cannot be played; both are 0 or more", l.Operations, l.For)
	case storms == 0:
		return fmt.Errorf("there is no storm to last longer: lost/storm was not selected, or cannot be assessed on this target")
	case l.Operations > cfg.Limits.Objects:
		return fmt.Errorf("--storm-operations %d makes more objects than limits.objects allows, which is %d; raise the limit", l.Operations, cfg.Limits.Objects)
	case cfg.Limits.Duration > 0 && all >= cfg.Limits.Duration:
		return fmt.Errorf("--storm-for %v on %d operations takes %v, and the run may take %v (limits.duration); raise the limit, or select fewer operations",
			l.For, storms, all, cfg.Limits.Duration)
	}
	p.Storm = &l
	return nil
}

// learn replaces what an operation offers by what the steady state showed.
func (p *Plan) learn(operation string, offers []catalogue.Need, missing map[catalogue.Need]string) {
	for i := range p.Operations {
		if p.Operations[i].Name == operation {
			p.Operations[i].Offers, p.Operations[i].Missing, p.Operations[i].Learned = offers, missing, true
		}
	}
	p.refresh()
}

// operation returns the planned operation with the name.
func (p *Plan) operation(name string) (PlanOperation, bool) {
	i := slices.IndexFunc(p.Operations, func(o PlanOperation) bool { return o.Name == name })
	if i < 0 {
		return PlanOperation{}, false
	}
	return p.Operations[i], true
}

// lacks says why the operation does not offer one of the needs; empty when it offers all.
func (p *Plan) lacks(operation string, needs []catalogue.Need) string {
	o, _ := p.operation(operation)
	for _, n := range needs {
		if !slices.Contains(o.Offers, n) {
			if part := n == catalogue.NeedPause || n == catalogue.NeedStop; part && !slices.Contains(o.Offers, catalogue.NeedLifecycle) {
				n = catalogue.NeedLifecycle // there is none yet that could be asked to do more
			}
			if why := o.Missing[n]; why != "" {
				return why
			}
			return catalogue.Reason(n, operation)
		}
	}
	return ""
}

// refresh works out which checks cannot be assessed.
func (p *Plan) refresh() {
	for i := range p.Checks {
		c := &p.Checks[i]
		r, _ := catalogue.Find(c.Requirement)
		c.Skip = p.lacks(c.Operation, r.Needs)
	}
}

// schedule lists the steps: every scenario that some assessable check is judged by, scenarios in their order. A check that is
// judged by whatever runs ("*") wants every scenario only where nothing else of its operation was selected.
func (p *Plan) schedule() {
	p.Steps = nil
	for _, sc := range Scenarios() {
		for _, o := range p.Operations {
			if p.lacks(o.Name, sc.Needs) != "" {
				continue
			}
			step := Step{Scenario: sc.ID, Operation: o.Name}
			named, everything := false, false
			for _, c := range p.Checks {
				if c.Operation != o.Name || c.Skip != "" {
					continue
				}
				r, _ := catalogue.Find(c.Requirement)
				switch {
				case slices.Contains(r.Scenarios, "*"):
					everything = true
				case !slices.Contains(r.Scenarios, sc.ID):
					named = true
				case len(r.Scenarios) == 1:
					step.Requirements = append(step.Requirements, r.ID)
				default:
					step.Helps = append(step.Helps, r.ID)
				}
			}
			if p.Shard != nil && !p.Shard.has(step.Name()) {
				continue
			}
			if len(step.Requirements)+len(step.Helps) > 0 || everything && !named {
				p.Steps = append(p.Steps, step)
			}
		}
	}
}
