package config

import (
	"maps"
	"slices"
	"strings"

	"github.com/oncespec/oncespec/scenarios/rewrite"
	"github.com/oncespec/oncespec/scenarios/schema"
)

// bodySchema reads what the body may be, and takes from it what may vary where the file does not say so itself.
func (s *subject) bodySchema() {
	s.atMostOne(s.at, "schema", "openapi")
	here, file, load := s.at+"/schema", s.op.Schema, schema.Load
	if s.has(s.at + "/openapi") {
		here, file = s.at+"/openapi", s.op.OpenAPI
		load = func(path string) (*schema.Schema, error) {
			return schema.LoadOpenAPI(path, s.op.Request.Method, s.op.Request.Path)
		}
	}
	switch {
	case !s.has(here):
		return
	case file == "":
		s.add(here, "nothing", "the name of a file")
		return
	case s.body == nil || s.body.Kind != rewrite.Object:
		s.add(here, quote(file), "a request whose body is a JSON object, which it could describe")
		return
	}
	read, err := load(s.beside(file))
	if err != nil {
		s.add(here, quote(file)+" ("+err.Error()+")", "a file that says what the body may be")
		return
	}
	s.op.Pinned = append(slices.Clone(s.op.Unique), filledIn(s.body)...)
	if len(filledIn(s.body)) == 0 {
		if err := read.Validate(s.base.Body); err != nil {
			s.add(s.at+"/request", "a body that does not fit "+file+" ("+err.Error()+")", "one that the schema allows")
			return
		}
	}
	s.op.Body = read
	vary := read.Vary(s.body, s.op.Pinned)
	for _, name := range slices.Sorted(maps.Keys(vary)) {
		_, given := s.op.Vary[name]
		policy := rewrite.Policy{Unique: s.op.Kept, Vary: map[string]rewrite.Vary{name: vary[name]}}
		if _, err := rewrite.NewSample(s.base, policy); given || err != nil {
			continue // what the file says itself counts; what a rule for one place cannot say is left to the drawing of bodies
		}
		if s.op.Vary == nil {
			s.op.Vary = map[string]rewrite.Vary{}
		}
		s.op.Vary[name] = vary[name]
	}
}

// filledIn lists the places whose text holds a placeholder.
func filledIn(body *rewrite.Node) []string { return naming(body, "{") }

// naming lists the places whose text holds some words.
func naming(body *rewrite.Node, words string) (out []string) {
	for _, pointer := range leaves(body, nil) {
		at, err := rewrite.ParsePointer(pointer)
		if err != nil {
			continue
		}
		if n, ok := body.At(at); ok && strings.Contains(n.Decoded(), words) {
			out = append(out, pointer)
		}
	}
	return out
}
