package run

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/oncespec/oncespec/scenarios/catalogue"
	"github.com/oncespec/oncespec/scenarios/target/config"
)

// Shard is one of the parts that a plan is divided into, each a run of its own: with its own target, proxies and keys.
type Shard struct {
	Index int      `json:"index"` // from 1
	Of    int      `json:"of"`
	Whole string   `json:"whole"` // digest of the plan that was divided: shards of one have the same
	URL   string   `json:"url"`   // of the target, as far as all shards have the same
	Steps []string `json:"steps"` // of the whole plan, in order; each shard takes every so many of them
}

// ParseShard reads "2/3". The error says what was expected.
func ParseShard(text string) (index, of int, err error) {
	i, n, found := strings.Cut(text, "/")
	index, notIndex := strconv.Atoi(i)
	of, notOf := strconv.Atoi(n)
	if !found || notIndex != nil || notOf != nil || of < 1 || index < 1 || index > of {
		return 0, 0, fmt.Errorf("found %q, expected which of how many shards, such as 2/3", text)
	}
	return index, of, nil
}

func (s Shard) String() string { return fmt.Sprintf("%d/%d", s.Index, s.Of) }

// Divide leaves the plan one of so many shards. It comes before the run, so that the parts do not depend on what a shard finds.
func (p *Plan) Divide(index, of int) error {
	if len(p.Steps) < of {
		return fmt.Errorf("a plan of %d steps cannot be divided into %d shards: choose at most %d, or select more", len(p.Steps), of, len(p.Steps))
	}
	s := &Shard{Index: index, Of: of, URL: host(p.URL)}
	for _, step := range p.Steps {
		s.Steps = append(s.Steps, step.Name())
	}
	whole, err := json.Marshal(struct {
		*Plan
		// Shadowed, so that the digest leaves them out: in these, shards of one plan may differ.
		URL       int `json:"url"`
		Seed      int `json:"seed"`
		Tool      int `json:"tool"`
		Rerun     int `json:"rerun"`
		Selection int `json:"selection"`
	}{Plan: p})
	if err != nil {
		return fmt.Errorf("plan: %w", err)
	}
	sum := sha256.Sum256(whole)
	s.Whole = hex.EncodeToString(sum[:8])
	p.Shard = s
	p.schedule()
	return nil
}

// host is the part of a configured URL that every shard shares: on its own machine each may have a port of its own.
func host(configured string) string {
	u, err := url.Parse(strings.Replace(configured, "{port}", "0", 1))
	if err != nil {
		return configured
	}
	if config.Loopback(u.Hostname()) {
		u.Host = "this machine"
	}
	return u.Scheme + "://" + u.Host + u.Path
}

// has tells whether a step of the whole plan belongs to the shard. A step that only the steady state revealed belongs to the
// first.
func (s *Shard) has(step string) bool {
	return 1+max(0, slices.Index(s.Steps, step))%s.Of == s.Index
}

// studies tells whether a run of the plan looks at the steady state of an operation: a shard without a step on it need not.
func (p *Plan) studies(operation string) bool {
	return p.Shard == nil || slices.ContainsFunc(p.Steps, func(s Step) bool { return s.Operation == operation })
}

// Asks tells whether a run of the plan has a verdict on a check: a shard has none on checks whose steps all belong to other
// shards.
func (p *Plan) Asks(c Check) bool {
	_, none := p.elsewhere(c)
	return !none
}

// elsewhere tells how a check that spans shards relates to this one. others: this shard runs only some of the steps that the
// check is judged by. none: it runs not one of them.
func (p *Plan) elsewhere(c Check) (others, none bool) {
	if p.Shard == nil {
		return false, false
	}
	r, _ := catalogue.Find(c.Requirement)
	mine, all := 0, 0
	for _, step := range p.Shard.Steps {
		if !feeds(r, c.Operation, step) {
			continue
		}
		all++
		if p.Shard.has(step) {
			mine++
		}
	}
	return 0 < mine && mine < all, mine == 0
}

// feeds tells whether a requirement is judged on an operation by the histories of a step.
func feeds(r catalogue.Requirement, operation, step string) bool {
	scenario, on, _ := strings.Cut(step, " ")
	return on == operation && (slices.Contains(r.Scenarios, "*") || slices.Contains(r.Scenarios, scenario))
}
