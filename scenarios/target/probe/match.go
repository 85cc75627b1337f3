package probe

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/oncespec/oncespec/scenarios/target/config"
	"github.com/oncespec/oncespec/scenarios/target/template"
)

// longMark is the length from which a marker is also searched for inside texts, since a target may decorate what it was given.
// A shorter one could occur there by chance, and has to be the whole text.
const longMark = 12

// matcher decides which items of a list belong to the intent.
type matcher struct {
	isolate string
	parents []*template.Template // what of the setup a query narrows by
}

func newMatcher(op *config.Operation, holes []template.Placeholder) matcher {
	m := matcher{isolate: op.Isolate}
	for _, p := range holes {
		if p.Name != "setup" {
			continue
		}
		if t, err := template.Parse(p.String()); err == nil {
			m.parents = append(m.parents, t)
		}
	}
	return m
}

// picker is a matcher for one intent.
type picker struct {
	isolate string
	markers []string
	parents []string // ids; at most 64
}

func (m matcher) picker(s Subject) picker {
	p := picker{isolate: m.isolate, markers: s.Markers}
	for _, t := range m.parents {
		// Ids that are short could be anything and tell nothing.
		if id, err := t.Expand(s.Vars); err == nil && len(id) >= longMark && len(p.parents) < 64 {
			p.parents = append(p.parents, id)
		}
	}
	return p
}

// look tells whether an item may belong to the intent, and which parents it names.
func (p picker) look(value any) (parents uint64, belongs bool) {
	switch p.isolate {
	case config.Marker:
		return 0, holds(value, p.markers)
	case config.Parent:
		for i, id := range p.parents {
			if equals(value, id) {
				parents |= 1 << i
			}
		}
	}
	return parents, true
}

// ofParents picks the items that belong to the intent's parent. Usually that is the whole list. Where some items name the
// parent and others do not, the list ignores its filter, and only those that do belong to it.
func (p picker) ofParents(all []item) []item {
	for i := range p.parents {
		var naming []item
		for _, it := range all {
			if it.parents&(1<<i) != 0 {
				naming = append(naming, it)
			}
		}
		if len(naming) > 0 {
			all = naming
		}
	}
	return all
}

// holds tells whether a text or a number below a value carries one of the markers.
func holds(value any, markers []string) bool {
	return anyLeaf(value, func(leaf string, isText bool) bool {
		return slices.ContainsFunc(markers, func(m string) bool {
			return m != "" && (leaf == m || isText && len(m) >= longMark && strings.Contains(leaf, m))
		})
	})
}

// equals tells whether a text or a number below a value is exactly this.
func equals(value any, text string) bool {
	return anyLeaf(value, func(leaf string, _ bool) bool { return leaf == text })
}

func anyLeaf(value any, is func(leaf string, isText bool) bool) bool {
	switch v := value.(type) {
	case string:
		return is(v, true)
	case json.Number:
		return is(v.String(), false)
	case []any:
		return slices.ContainsFunc(v, func(item any) bool { return anyLeaf(item, is) })
	case map[string]any:
		for _, member := range v {
			if anyLeaf(member, is) {
				return true
			}
		}
	}
	return false
}
