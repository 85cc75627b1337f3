package rewrite

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Garden makes one A for many rewrites: what they need is planted side by side into a free-form object, so that one request
// and one key serve to try them all. The trials are to be applied to the sample with the changes made. A rewrite that needs an
// A of its own, such as one with a header, or a number that not every API can read, comes back as a trial of the sample itself.
// Rewrites that change one value act at each place that has one, in trials after those of all others.
func Garden(s *Sample, rows []Rewrite) (changes []Change, together, alone []Trial) {
	changes, together, alone = Hand{Rows: rows}.garden(s)
	var more []Trial
	for _, r := range rows {
		for _, site := range r.others(s) {
			more = append(more, Trial{Rewrite: r.ID, Site: site})
		}
	}
	garden, err := s.With(changes...)
	if err != nil {
		garden = s
	}
	for _, t := range more {
		r, _ := Find(t.Rewrite)
		if pair, ok := r.Apply(garden, t.Site, 0); ok && pair.A.Equal(garden.request) {
			together = append(together, t)
		} else {
			alone = append(alone, t)
		}
	}
	return changes, together, alone
}

func (h Hand) garden(s *Sample) (changes []Change, together, alone []Trial) {
	plots := map[string]string{} // by planted value: where it stands
	for _, r := range h.Rows {
		site, choice, ok := r.pick(s, h.Picks[r.ID])
		if !ok {
			continue
		}
		action, body := r.act.(inBody)
		home, last := above(site.At)
		switch {
		case !site.Planted:
			together = append(together, Trial{Rewrite: r.ID, Site: site, Choice: choice})
		case !body || last != planted || delicate(action.planted()):
			alone = append(alone, Trial{Rewrite: r.ID, Site: site, Choice: choice})
		default:
			at, known := plots[home+action.plant]
			if !known {
				at = fmt.Sprintf("%s/%s%d", home, planted, len(plots)+1)
				plots[home+action.plant] = at
				changes = append(changes, Change{At: at, Value: action.plant})
			}
			together = append(together, Trial{Rewrite: r.ID, Site: Site{At: at, Planted: true}, Choice: choice})
		}
	}
	return s.checkGarden(changes, together, alone)
}

// Planted keeps the changes of a garden that some of its trials act at.
func Planted(changes []Change, trials []Trial) []Change {
	return slices.DeleteFunc(slices.Clone(changes), func(c Change) bool {
		return !slices.ContainsFunc(trials, func(t Trial) bool { return t.Site.Planted && t.Site.At == c.At })
	})
}

// checkGarden sends those to an A of their own that do not fit into the common one.
func (s *Sample) checkGarden(changes []Change, all, alone []Trial) ([]Change, []Trial, []Trial) {
	garden, err := s.With(changes...)
	if err != nil {
		garden, changes = s, nil
	}
	var together []Trial
	for _, t := range all {
		r, _ := Find(t.Rewrite)
		pair, ok := r.Apply(garden, t.Site, t.Choice)
		if ok && pair.A.Equal(garden.request) {
			together = append(together, t)
			continue
		}
		if sites := r.sites(s, 1); len(sites) > 0 {
			alone = append(alone, Trial{Rewrite: r.ID, Site: sites[0]})
		}
	}
	return changes, together, alone
}

// above splits a pointer before its last token.
func above(pointer string) (parent, last string) {
	i := strings.LastIndexByte(pointer, '/')
	if i < 0 {
		return "", pointer
	}
	return pointer[:i], pointer[i+1:]
}

// delicate tells whether a value is one that a correct API may be unable to read: it would take all others with it.
func delicate(n *Node) (found bool) {
	n.walk(func(p place) {
		if p.node.Kind == Number {
			f, err := strconv.ParseFloat(p.node.Text, 64)
			zero := f == 0 && strings.Trim(p.node.Text, "-0.") != ""
			found = found || err != nil || math.IsInf(f, 0) || zero
		}
	})
	return found
}
