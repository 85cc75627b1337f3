package run

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/oncespec/oncespec/mockapi/spelling"
	"github.com/oncespec/oncespec/scenarios/catalogue"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

// Selection narrows a run. Empty fields select everything; a value that matches nothing is an error.
type Selection struct {
	Requirements []string `json:"requirements,omitempty"` // globs on ids: "race/*", "replay/one-effect"
	Packs        []string `json:"packs,omitempty"`
	Operations   []string `json:"operations,omitempty"`
	Levels       []string `json:"levels,omitempty"` // must, should
}

// Flags are those that select the same.
func (s Selection) Flags() (flags []string) {
	for _, f := range []struct {
		name   string
		values []string
	}{{"--requirement", s.Requirements}, {"--pack", s.Packs}, {"--operation", s.Operations}, {"--level", s.Levels}} {
		for _, v := range f.values {
			flags = append(flags, f.name+"="+v)
		}
	}
	return flags
}

// IsZero tells whether it selects everything.
func (s Selection) IsZero() bool { return len(s.Flags()) == 0 }

func (s Selection) requirements() ([]catalogue.Requirement, error) {
	all := catalogue.All()
	var ids, packs []string
	for _, r := range all {
		ids = append(ids, r.ID)
	}
	packs = catalogue.Packs()
	for _, pattern := range s.Requirements {
		if pattern == "" {
			return nil, fmt.Errorf("--requirement is empty: write an id such as replay/one-effect, or leave it out to select all")
		}
		if _, err := path.Match(pattern, ""); err != nil {
			return nil, fmt.Errorf("--requirement %q is no valid pattern: write an id such as replay/one-effect, or a glob such as 'race/*'", pattern)
		}
		if !slices.ContainsFunc(ids, func(id string) bool { return matches(pattern, id) }) {
			return nil, fmt.Errorf("--requirement %q matches nothing%s; `oncespec list requirements` shows all", pattern, spelling.Suggestion(pattern, ids))
		}
	}
	for _, p := range s.Packs {
		if !slices.Contains(packs, p) {
			return nil, fmt.Errorf("--pack %q is unknown%s; the packs are %s", p, spelling.Suggestion(p, packs), strings.Join(packs, ", "))
		}
	}
	for _, l := range s.Levels {
		if levels := []string{"must", "should"}; !slices.Contains(levels, strings.ToLower(l)) {
			return nil, fmt.Errorf("--level %q is unknown%s; the levels are %s", l, spelling.Suggestion(l, levels), strings.Join(levels, ", "))
		}
	}
	var chosen []catalogue.Requirement
	for _, r := range all {
		if (len(s.Requirements) == 0 || slices.ContainsFunc(s.Requirements, func(p string) bool { return matches(p, r.ID) })) &&
			(len(s.Packs) == 0 || slices.Contains(s.Packs, r.Pack())) &&
			(len(s.Levels) == 0 || slices.ContainsFunc(s.Levels, func(l string) bool { return verdict.Level(strings.ToUpper(l)) == r.Level })) {
			chosen = append(chosen, r)
		}
	}
	if len(chosen) == 0 {
		return nil, fmt.Errorf("the filters together select no requirement; loosen --requirement, --pack or --level")
	}
	return chosen, nil
}

func (s Selection) operations(names []string) ([]string, error) {
	if len(s.Operations) == 0 {
		return names, nil
	}
	for _, o := range s.Operations {
		if !slices.Contains(names, o) {
			return nil, fmt.Errorf("--operation %q is not in the configuration%s; it has %s", o, spelling.Suggestion(o, names), strings.Join(names, ", "))
		}
	}
	var chosen []string
	for _, n := range names {
		if slices.Contains(s.Operations, n) {
			chosen = append(chosen, n)
		}
	}
	return chosen, nil
}

func matches(pattern, id string) bool {
	ok, err := path.Match(pattern, id)
	return err == nil && ok
}
