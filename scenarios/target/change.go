package target

import (
	"errors"
	"slices"
	"strings"

	"github.com/oncespec/oncespec/scenarios/rewrite"
)

// standardChanges are the rewrites that the standard changed payload is chosen from, the plainest first. All of them change
// the meaning of one value within what the configuration lets vary.
var standardChanges = []string{"leaf/amount", "leaf/enum", "leaf/bool", "leaf/text", "nested/leaf", "nested/array-item", "nested/new-key", "form/value", "multipart/field", "multipart/file-bytes", "query/value"}

// mostChanges bounds how many payloads are tried in the steady state: each makes an object.
const mostChanges = 8

// change is a changed payload: one rewrite at one place. Its unique leaves stay.
type change struct {
	rewrite rewrite.Rewrite
	site    rewrite.Site
	choice  int
}

// name says what it does: "leaf/enum at /priority".
func (c *change) name() string {
	if c.site.At == "" {
		return c.rewrite.ID
	}
	return c.rewrite.ID + " at " + c.site.At
}

var errNoChange = errors.New("the request offers no place where it can be made")

// apply changes an intent's own request.
func (c *change) apply(t *Target, k *preparedOperation, request rewrite.Request) (rewrite.Request, error) {
	sample, err := k.sample(t, request)
	if err != nil {
		return request, err
	}
	pair, ok := c.rewrite.Apply(sample, c.site, c.choice)
	if !ok {
		return request, errNoChange
	}
	return pair.B, nil
}

// mostChoices bounds how many values of one place are tried.
const mostChoices = 3

// changes lists the payloads that could be the standard one, each only once: first one of each rewrite, places that the
// configuration names before guesses and those on top before those further down, then other values and other places.
func (t *Target) changes(k *preparedOperation, request rewrite.Request) ([]*change, error) {
	sample, err := k.sample(t, request)
	if err != nil {
		return nil, err
	}
	var declared, guessed, more []*change
	for _, id := range standardChanges {
		r, found := rewrite.Find(id)
		class := r.ClassUnder(t.cfg.Contract)
		// A query that nobody declared to count is no sure change of meaning.
		if !found || class != rewrite.Different && (r.Part == rewrite.Query || class != rewrite.NeverExecuted) {
			continue
		}
		first := true
		for _, site := range r.Sites(sample) {
			if site.Planted {
				continue // the intent's own payload has nothing to change there
			}
			for choice := range mostChoices {
				c := &change{rewrite: r, site: site, choice: choice}
				switch {
				case !first:
					more = append(more, c)
				case site.Guess:
					guessed = append(guessed, c)
				default:
					declared = append(declared, c)
				}
				first = false
			}
		}
	}
	// What stands on top is compared by everybody; a change further down may miss what a target compares, which is a question
	// of its own.
	slices.SortStableFunc(declared, func(a, b *change) int { return depth(a.site.At) - depth(b.site.At) })
	return distinct(sample, slices.Concat(declared, guessed, more)), nil
}

// depth is how far down in the body a place is; a query parameter comes after all of it.
func depth(place string) int {
	if !strings.HasPrefix(place, "/") {
		return 1 << 10
	}
	return strings.Count(place, "/")
}

// distinct leaves out what makes the same request as another one before.
func distinct(sample *rewrite.Sample, all []*change) []*change {
	var kept []*change
	seen := map[string]bool{}
	for _, c := range all {
		pair, ok := c.rewrite.Apply(sample, c.site, c.choice)
		payload := pair.B.Target() + " " + string(pair.B.Body)
		if ok && !seen[payload] && len(kept) < mostChanges {
			seen[payload] = true
			kept = append(kept, c)
		}
	}
	return kept
}
