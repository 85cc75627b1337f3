package rewrite

import (
	"slices"
	"strings"
)

// Rewrite is one way to change a request. Values come from Catalogue.
type Rewrite struct {
	ID       string // such as "number/beyond-2^53"
	Sentence string // what B is, compared with A
	Class    Class  // Same, SameByPractice, ByContract or Different; see ClassUnder
	Decides  Parameter
	Part     Part   // what of the request changes
	Header   string // the header whose value changes, if it is one in particular
	Source   string // what says so
	Needs    string // what a sample has to offer; completes "the sample offers no …"

	// Confirm: some correct APIs read A and B alike (they trim, round, take the first of two members). Before a replay of B is
	// called false, both have to be sent under fresh keys, and their effects have to differ.
	Confirm bool

	again bool // B is A once more, byte for byte
	each  bool // a sweep acts at each place of its kind: a fingerprint may leave out any of them
	act   action
}

// Part is what of a request a rewrite changes.
type Part string

// The parts.
const (
	Body    Part = "body"
	Query   Part = "query"
	Path    Part = "path"
	Header  Part = "header"
	Message Part = "framing"
	Key     Part = "key"
)

// Site is one place of a sample where a rewrite can act.
type Site struct {
	At      string `json:"at"`                // a JSON Pointer, ?NAME for a query parameter, or empty for the whole request
	Planted bool   `json:"planted,omitempty"` // the sample has nothing suitable there: both sides get a value first
	Guess   bool   `json:"guess,omitempty"`   // nobody said that this place may change: B may turn out to be invalid or without effect
}

// Pair is a request and its rewritten form, both derived from one sample.
type Pair struct {
	Rewrite  string
	Site     Site
	A, B     Request
	Prepared bool // A differs from the sample
}

// action finds the candidates of a rewrite, and makes a pair at one of them or reports that it cannot.
type action interface {
	candidates(s *Sample) []Site
	apply(s *Sample, at Site, choice int) (a, b Request, ok bool)
}

// A rewrite is offered at most maxSites places, and tries at most maxTries candidates for them; each try copies the body, so
// that large bodies get fewer.
const (
	maxSites = 32
	maxTries = 64
	maxWork  = 256 << 10 // bytes of body copied by one list of sites, on top of four tries
)

// Sites lists where the rewrite can act on a sample: places that are there and may change, then places where a value is
// planted first, guesses last; in document order within each.
func (r Rewrite) Sites(s *Sample) []Site { return r.sites(s, maxSites) }

// sites stops at so many of them.
func (r Rewrite) sites(s *Sample, most int) []Site {
	candidates := r.act.candidates(s)
	slices.SortStableFunc(candidates, func(a, b Site) int { return a.rank() - b.rank() })
	tries := min(maxTries, 4+maxWork/max(1, len(s.request.Body)), len(candidates))
	var out []Site
	for _, site := range candidates[:tries] {
		if _, ok := r.Apply(s, site, 0); ok {
			if out = append(out, site); len(out) == most {
				break
			}
		}
	}
	return out
}

// others lists where else than at its first place a sweep acts: where the sample has something of the kind, as deep as there, or
// anywhere in it where the rewrite is about what is nested.
func (r Rewrite) others(s *Sample) []Site {
	if !r.each {
		return nil
	}
	sites := r.Sites(s)
	return slices.DeleteFunc(sites[min(1, len(sites)):], func(site Site) bool {
		nested := strings.HasPrefix(r.ID, "nested/")
		return site.Planted || !nested && strings.Count(site.At, "/") != strings.Count(sites[0].At, "/")
	})
}

// pick finds one site: the one of that number if the rewrite can act there, else the likeliest. Guesses are no better than
// others here.
func (r Rewrite) pick(s *Sample, p Pick) (Site, int, bool) {
	if p != (Pick{}) {
		candidates := r.act.candidates(s)
		slices.SortStableFunc(candidates, func(a, b Site) int { return a.rank() - b.rank() })
		if len(candidates) > 0 {
			site := candidates[p.Site%len(candidates)]
			if _, ok := r.Apply(s, site, p.Choice); ok {
				return site, p.Choice, true
			}
		}
	}
	sites := r.sites(s, 1)
	if len(sites) == 0 {
		return Site{}, 0, false
	}
	return sites[0], 0, true
}

func (s Site) rank() int {
	rank := 0
	if s.Guess {
		rank += 2
	}
	if s.Planted {
		rank++
	}
	return rank
}

// Applies tells whether the rewrite can act on a sample, and if not, what is missing.
func (r Rewrite) Applies(s *Sample) (ok bool, reason string) {
	if len(r.Sites(s)) > 0 {
		return true, ""
	}
	return false, "the sample offers no " + r.Needs
}

// Apply makes the pair at a site. Where several changes are possible there (one more or one less, another of the allowed
// values), choice picks one; every choice is valid, and 0 is the plainest. The sample stays as it is. It is false where the
// rewrite cannot act.
func (r Rewrite) Apply(s *Sample, at Site, choice int) (Pair, bool) {
	if choice < 0 {
		choice = -(choice + 1) // also for the least int
	}
	a, b, ok := r.act.apply(s, at, choice)
	if !ok || a.Equal(b) != r.again {
		return Pair{}, false
	}
	return Pair{Rewrite: r.ID, Site: at, A: a, B: b, Prepared: !a.Equal(s.request)}, true
}
