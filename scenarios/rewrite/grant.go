package rewrite

import "slices"

// grant is the permission to change the value at one place.
type grant struct {
	rule      *rule
	guess     bool // nobody said so; the value merely looks as if it could change
	free      bool // it lies below a free-form place
	droppable bool // it may be absent
}

// grant tells whether the value at a place may change its meaning, and into what. What holds or is a unique marker may not;
// neither may what the contract excludes, since changing that changes no meaning.
func (s *Sample) grant(at Pointer, root *Node) (grant, bool) {
	if s.pinned(at) || s.ignored(at) {
		return grant{}, false
	}
	if len(s.policy.Vary) == 0 {
		return grant{rule: anything, guess: true, droppable: len(at) > 0}, len(at) > 0
	}
	var top varied
	for _, v := range s.body {
		if at.within(v.at) && (top.rule == nil || len(v.at) > len(top.at)) {
			top = v
		}
	}
	if top.rule == nil {
		return grant{}, false
	}
	g := grant{rule: top.rule, droppable: top.rule.optional}
	node, found := root.At(top.at)
	for _, token := range at[len(top.at):] {
		if !found || !g.rule.freeForm() {
			return grant{}, false
		}
		i := node.index(token)
		if found = i >= 0; found {
			node = node.child(i)
			g = grant{rule: g.rule.below(node), free: true, droppable: true}
		}
	}
	return g, found
}

// holdsUnique tells whether a marker is at, below or above a place.
func (s *Sample) holdsUnique(at Pointer) bool {
	return slices.ContainsFunc(s.unique, func(u Pointer) bool { return u.within(at) || at.within(u) })
}

// pinned tells whether a value may not change: it is or holds a marker, or turned out fixed.
func (s *Sample) pinned(at Pointer) bool { return s.holdsUnique(at) || s.fixedAt(at) }

// fixedAt tells whether a place is, or lies in, one that turned out not to vary.
func (s *Sample) fixedAt(at Pointer) bool { return slices.ContainsFunc(s.fixed, at.within) }

// ignored tells whether the contract says that a place does not count.
func (s *Sample) ignored(at Pointer) bool {
	return slices.ContainsFunc(s.excluded, at.within) || len(s.counted) > 0 && !slices.ContainsFunc(s.counted, at.within)
}

// inSet tells whether a place is, or lies inside, an array whose order does not count.
func (s *Sample) inSet(at Pointer) bool {
	return slices.ContainsFunc(s.sets, at.within)
}

// planted names the member that rewrites put into free-form objects.
const planted = "oncespec"

// homes lists the places that could take a value: free-form objects first, then leaves it would fit, guesses last.
func (s *Sample) homes(value *Node, freeOnly bool) []Site {
	var out []Site
	for _, v := range s.body {
		node, found := s.root.At(v.at)
		isObject := found && node.Kind == Object || !found && v.rule.kind == TypeObject
		if isObject && v.rule.freeForm() && !s.fixedAt(v.at) && !s.ignored(v.at) && (v.rule.values == nil || v.rule.values.admits(value)) {
			out = append(out, Site{At: v.at.child(planted).String(), Planted: true})
		}
	}
	if freeOnly {
		return out
	}
	for _, v := range s.body {
		node, found := s.root.At(v.at)
		if found && node.Kind != Object && !s.pinned(v.at) && !s.ignored(v.at) && v.rule.admits(value) {
			out = append(out, Site{At: v.at.String(), Planted: true})
		}
	}
	if len(s.policy.Vary) > 0 || s.root == nil {
		return out
	}
	s.root.walk(func(p place) {
		leaf := p.node.Kind != Object && p.node.Kind != Array && p.node.Kind != Null
		if leaf && len(p.at) > 0 && typeOf(p.node) == typeOf(value) && !s.pinned(p.at) && !s.ignored(p.at) {
			out = append(out, Site{At: p.at.String(), Planted: true, Guess: true})
		}
	})
	return out
}

// Unlisted are the places of the sample that no rewrite may change because the owner listed others: in the body, and in the
// query as ?NAME. Markers, and what the contract leaves out, are none of them.
func (s *Sample) Unlisted() (out []string) {
	if len(s.policy.Vary) == 0 {
		return nil
	}
	if s.root != nil {
		s.root.walk(func(p place) {
			if _, granted := s.grant(p.at, s.root); isLeaf(p) && !granted && !s.pinned(p.at) && !s.ignored(p.at) {
				out = append(out, p.at.String())
			}
		})
	}
	for _, form := range []bool{false, true} {
		if form && !s.request.isForm() {
			continue
		}
		for _, p := range splitQuery(s.request.pairsOf(form)) {
			at := pairAt(form, p.key())
			if _, _, granted := s.grantPair(form, p.key()); !granted && !slices.Contains(out, at) && !slices.Contains(s.policy.Fixed, at) && !slices.Contains(s.policy.Unique, at) {
				out = append(out, at)
			}
		}
	}
	return out
}
