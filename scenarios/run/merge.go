package run

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/oncespec/oncespec/scenarios/catalogue"
	"github.com/oncespec/oncespec/scenarios/history"
)

// ShardEnd is what became of one shard, in the plan that was merged.
type ShardEnd struct {
	Shard string   `json:"shard"`           // "2/3"
	Steps []string `json:"steps"`           // that it was to do
	Of    int      `json:"of"`              // how many of them the target can be put to
	Done  int      `json:"done"`            // how many of those it did
	Ended string   `json:"ended,omitempty"` // why it did not do all of them; empty: it did
	Dir   string   `json:"-"`               // where it was found; empty: nowhere
}

// ErrUnlike is wrapped by the error of Merge where the folders are not those of one divided run.
var ErrUnlike = errors.New("not the shards of one run")

// Merge joins what the shards of one run left in their folders: a plan that is whole again, and all histories. Judging them is
// as if one run had done it all. A shard that is missing, or that died, leaves its steps undone.
func Merge(dirs []string) (*Plan, []*history.History, error) {
	if len(dirs) == 0 {
		return nil, nil, errors.New("no folder to merge")
	}
	var plans []*Plan
	var all []*history.History
	from := map[int]string{}
	for _, dir := range dirs {
		p, hs, err := Load(dir)
		if err != nil {
			return nil, nil, err
		}
		if err := alike(dir, p, dirs[0], plans, from); err != nil {
			return nil, nil, err
		}
		from[p.Shard.Index] = dir
		plans = append(plans, p)
		for _, h := range hs {
			all = append(all, apart(h, p.Shard))
		}
	}
	slices.SortFunc(all, func(a, b *history.History) int { return strings.Compare(a.ID, b.ID) })
	for i := 1; i < len(all); i++ {
		if all[i].ID == all[i-1].ID {
			return nil, nil, fmt.Errorf("%w: the history %s is in two folders", ErrUnlike, all[i].ID)
		}
	}
	whole := join(plans, from)
	whole.tick(all)
	return whole, all, nil
}

// apart renames the histories of the steady state, which every shard has under the same ids.
func apart(h *history.History, s *Shard) *history.History {
	if _, planned := Scenario(h.Scenario); planned != nil {
		renamed := *h
		renamed.ID = fmt.Sprintf("%s.shard%d", h.ID, s.Index)
		return &renamed
	}
	return h
}

// join makes one plan of the shards' plans. An operation offers what all shards that studied it found.
func join(plans []*Plan, from map[int]string) *Plan {
	slices.SortFunc(plans, func(a, b *Plan) int { return a.Shard.Index - b.Shard.Index })
	whole := *plans[0]
	whole.Shard, whole.Ended, whole.ShardEnds = nil, "", nil
	whole.Operations = slices.Clone(whole.Operations)
	for i, o := range whole.Operations {
		o.Learned = false
		for _, p := range plans {
			seen, found := p.operation(o.Name)
			switch {
			case !found || !seen.Learned:
			case !o.Learned:
				o = seen
				o.Missing = maps.Clone(seen.Missing)
			default:
				o.Offers = slices.DeleteFunc(slices.Clone(o.Offers), func(n catalogue.Need) bool { return !slices.Contains(seen.Offers, n) })
				for n, why := range seen.Missing {
					if o.Missing == nil {
						o.Missing = map[catalogue.Need]string{}
					}
					o.Missing[n] = why
				}
			}
		}
		whole.Operations[i] = o
	}
	whole.Checks = slices.Clone(whole.Checks)
	whole.refresh()
	whole.schedule()
	for index := 1; index <= plans[0].Shard.Of; index++ {
		s := Shard{Index: index, Of: plans[0].Shard.Of, Steps: plans[0].Shard.Steps}
		part := ShardEnd{Shard: s.String(), Ended: "shard " + s.String() + " is missing", Dir: from[index]}
		for _, p := range plans {
			if p.Shard.Index == index {
				part.Ended = ""
				if p.Ended != "" {
					part.Ended = "shard " + s.String() + ": " + p.Ended
				}
			}
		}
		for _, step := range s.Steps {
			if s.has(step) {
				part.Steps = append(part.Steps, step)
			}
		}
		whole.ShardEnds = append(whole.ShardEnds, part)
	}
	return &whole
}

// tick counts what each shard did: a step that was broken off is not done.
func (p *Plan) tick(hs []*history.History) {
	did := map[string]bool{}
	for _, h := range hs {
		if len(h.Operations) > 0 && h.Aborted == "" {
			did[Step{Scenario: h.Scenario, Operation: h.Operations[0]}.Name()] = true
		}
	}
	for i := range p.ShardEnds {
		end := &p.ShardEnds[i]
		for _, step := range p.Steps {
			if !slices.Contains(end.Steps, step.Name()) {
				continue
			}
			end.Of++
			if did[step.Name()] {
				end.Done++
			}
		}
	}
}

// Missing lists, shell word by word, the commands of the shards that came to no end, in their order, where the run had one. Each
// needs a folder for what it leaves, which the caller names.
func (p *Plan) Missing(dir func(ShardEnd) string) (commands [][]string) {
	if len(p.Rerun) == 0 {
		return nil
	}
	for _, s := range p.ShardEnds {
		if s.Ended == "" {
			continue
		}
		args := slices.Clone(p.Rerun)
		if !slices.Contains(args, "--seed") {
			args = append(args, "--seed", fmt.Sprint(p.Seed))
		}
		args = append(args, p.Selection.Flags()...)
		commands = append(commands, append(args, "--shard", s.Shard, "--out", dir(s)))
	}
	return commands
}

// ended says why the steps that a check is judged by were not done, as far as that is known.
func (p *Plan) ended(c Check) string {
	r, _ := catalogue.Find(c.Requirement)
	for _, part := range p.ShardEnds {
		if part.Ended != "" && slices.ContainsFunc(part.Steps, func(step string) bool { return feeds(r, c.Operation, step) }) {
			return part.Ended
		}
	}
	return p.Ended
}
