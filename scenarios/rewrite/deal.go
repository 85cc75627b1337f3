package rewrite

import (
	"slices"

	"pgregory.net/rapid"
)

// Telling are the rewrites that tell most defects by themselves, one or two for each way in which fingerprints go wrong: tried
// first, they let a defect cost few requests.
var Telling = []string{
	"query/value", "number/beyond-2^53", "nested/leaf", "array/reordered", "order/top", "leaf/case", "absent/null-to-absent", "nested/map",
	"nested/new-key", "form/value", "multipart/field", "leaf/amount", "leaf/enum", "leaf/text", "space/pretty", "type/number-to-string",
	"text/trailing-space", "absent/zero-to-absent",
}

var tells = func() map[string]bool {
	out := map[string]bool{}
	for _, id := range Telling {
		out[id] = true
	}
	return out
}()

const (
	// Handful is how many rewrites are tried on one random body: a body costs two requests, each pair one more.
	Handful = 16
	// spread keeps the hands of neighbouring seeds apart (the golden ratio in 64 bits).
	spread = 0x9E3779B97F4A7C15
)

// Hand is one random body and the rewrites to be tried on it.
type Hand struct {
	Changes []Change
	Rows    []Rewrite
	Picks   map[string]Pick // by rewrite
}

// Pick says where a rewrite acts, and which of several changes it makes there: a number of its sites, and of its choices.
type Pick struct{ Site, Choice int }

// On makes a garden of the hand for a sample, of which nothing is left where it is false.
func (h Hand) On(s *Sample) (changes []Change, trials []Trial, ok bool) {
	body, err := s.With(h.Changes...)
	if err != nil {
		return nil, nil, false // a place that is gone by now
	}
	garden, trials, alone := h.garden(body)
	if len(trials) == 0 && len(alone) > 0 {
		garden, trials = nil, alone[:1]
	}
	return append(slices.Clone(h.Changes), garden...), trials, len(trials) > 0
}

// Dealer deals hands. Each depends on the seed and its number alone.
type Dealer struct {
	Sample *Sample
	Rows   []Rewrite // see Usable
	Seed   uint64
	First  bool // those that tell most always stand in front; else more often than not
	Width  int  // how many rewrites a hand has; 0: Handful
}

// Deal gives the hand of a number. Where no body can be drawn, as for a pattern that nothing matches, the sample's is used, and
// drawn is false.
func (d Dealer) Deal(n int) (hand Hand, drawn bool) {
	seed := int(d.Seed*spread>>1) + n
	defer func() {
		if recover() != nil { // rapid gives up after a thousand tries
			hand, drawn = rapid.Custom(func(t *rapid.T) Hand { return d.draw(t, false) }).Example(seed), false
		}
	}()
	return rapid.Custom(func(t *rapid.T) Hand { return d.draw(t, true) }).Example(seed), true
}

func (d Dealer) draw(t *rapid.T, bodies bool) Hand {
	few, shuffled := rapid.Bool().Draw(t, "few"), rapid.Bool().Draw(t, "shuffled")
	out := Hand{Picks: map[string]Pick{}}
	if bodies {
		out.Changes = generate(t, d.Sample)
	}
	if len(out.Changes) > 1 && few { // some defects show only where most is as in the sample
		out.Changes = rapid.Permutation(out.Changes).Draw(t, "changes")[:1]
	}
	var front, others []Rewrite
	for _, r := range d.Rows {
		if tells[r.ID] {
			front = append(front, r)
		} else {
			others = append(others, r)
		}
	}
	if !d.First && shuffled {
		front, others = others, front
	}
	width := d.Width
	if width == 0 {
		width = Handful
	}
	out.Rows = some(t, front, width)
	out.Rows = append(out.Rows, some(t, others, width-len(out.Rows))...)
	for _, r := range out.Rows {
		if rapid.Bool().Draw(t, "elsewhere") {
			out.Picks[r.ID] = Pick{rapid.IntRange(0, maxSites-1).Draw(t, "site"), rapid.IntRange(0, 5).Draw(t, "choice")}
		}
	}
	return out
}

// some draws up to n rewrites of a list.
func some(t *rapid.T, list []Rewrite, n int) []Rewrite {
	n = min(n, len(list))
	for i := range n {
		j := rapid.IntRange(i, len(list)-1).Draw(t, "rewrite")
		list[i], list[j] = list[j], list[i]
	}
	return list[:n]
}
