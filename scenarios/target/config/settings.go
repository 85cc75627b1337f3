package config

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/invopop/jsonschema"
)

// Setting is a field of the configuration, as it is explained to people.
type Setting struct {
	Path     string // such as operations.NAME.vary
	Name     string // the last of it
	Takes    string // such as "a list of text"
	Required bool
	Text     string    // what it is for
	Kind     string    // what a value that is a mapping is, or each entry of one that holds several
	Fields   []Setting // of such a mapping

	named bool // it holds entries, whose names the file chooses
}

// Settings are the fields that a name means: a path such as target.lifecycle, in which the names that the file chooses may
// stand or be left out; or the last name of one alone, such as vary.
func Settings(name string) (found []Setting) {
	typed := strings.Split(index.ReplaceAllString(name, ""), ".")
	for _, entry := range []string{"", "." + chosen} {
		for _, s := range settings() {
			if (entry == "" || s.named) && meant(strings.Split(s.Path+entry, "."), typed) {
				return []Setting{s}
			}
		}
	}
	for _, s := range settings() {
		if s.Name == name {
			found = append(found, s)
		}
	}
	return found
}

// SettingPaths are those of all fields.
func SettingPaths() (paths []string) {
	for _, s := range settings() {
		paths = append(paths, s.Path)
	}
	return paths
}

// chosen stands in a path for a name that the file chooses.
const chosen = "NAME"

// index is how an item of a list is named; all items have the same fields.
var index = regexp.MustCompile(`\[\d*\]`)

// meant tells whether what was typed is a path, where chosen is any name, or none.
func meant(path, typed []string) bool {
	switch {
	case len(path) == 0:
		return len(typed) == 0
	case path[0] == chosen && meant(path[1:], typed):
		return true
	case len(typed) == 0 || path[0] != chosen && path[0] != typed[0]:
		return false
	}
	return meant(path[1:], typed[1:])
}

// settings are all fields, those nearest the root first.
var settings = sync.OnceValue(func() []Setting {
	var root jsonschema.Schema
	if err := json.Unmarshal(schemaText, &root); err != nil {
		panic(err) // the text is embedded and tested
	}
	w := walk{definitions: root.Definitions}
	w.fields("", root.Definitions["Config"], nil)
	slices.SortStableFunc(w.all, func(a, b Setting) int { return strings.Count(a.Path, ".") - strings.Count(b.Path, ".") })
	return w.all
})

type walk struct {
	definitions jsonschema.Definitions
	all         []Setting
}

// fields collects those of a mapping. What lies above is not gone into again: values may vary as vary does.
func (w *walk) fields(path string, of *jsonschema.Schema, above []*jsonschema.Schema) (fields []Setting) {
	for p := of.Properties.Oldest(); p != nil; p = p.Next() {
		s := Setting{Path: strings.TrimPrefix(path+"."+p.Key, "."), Name: p.Key, Text: plain(p.Value.Description, p.Key), Required: slices.Contains(of.Required, p.Key)}
		takes, below, entry := w.takes(p.Value)
		s.Takes, s.named = takes, below != ""
		if entry != nil && !slices.Contains(above, entry) {
			s.Kind = plain(entry.Description, "")
			s.Fields = w.fields(s.Path+below, entry, append(above, of))
		}
		fields = append(fields, s)
	}
	w.all = append(w.all, fields...)
	return fields
}

// takes says what a value is, and how the path goes on to the mapping that it is, or that its entries are.
func (w *walk) takes(s *jsonschema.Schema) (text, below string, entry *jsonschema.Schema) {
	if name, found := strings.CutPrefix(s.Ref, "#/$defs/"); found {
		return "a mapping", "", w.definitions[name]
	}
	switch {
	case s.Items != nil:
		text, _, entry = w.takes(s.Items)
		return "a list of " + several(text), "", entry
	case s.AdditionalProperties != nil && s.AdditionalProperties != jsonschema.FalseSchema:
		text, _, entry = w.takes(s.AdditionalProperties)
		return "a mapping of names to " + several(text), "." + chosen, entry
	case len(s.Enum) > 0:
		var words []string
		for _, word := range s.Enum {
			if text, _ := word.(string); text != "" {
				words = append(words, text)
			}
		}
		return either(words), "", nil
	case s.Pattern == durationPattern:
		return wantedDuration, "", nil
	case len(s.OneOf) > 0:
		return "a number", "", nil
	case s.Type == "":
		return "anything", "", nil
	}
	return wanted([]string{s.Type}), "", nil
}

// plain is a comment of the Go types without the type's or the field's name, with which it begins.
func plain(comment, field string) string {
	name, rest, _ := strings.Cut(comment, " ")
	if !goName.MatchString(name) || field != "" && !strings.EqualFold(name, field) {
		return comment
	}
	for _, verb := range []string{"is ", "are "} {
		if what, found := strings.CutPrefix(rest, verb); found {
			return what
		}
	}
	return rest
}

var goName = regexp.MustCompile(`^[A-Z][A-Za-z]+$`)

func several(text string) string {
	if of, list := strings.CutPrefix(text, "a list of "); list {
		return "lists of " + of
	}
	if word, one := strings.CutPrefix(text, "a "); one {
		return word + "s"
	}
	return text
}
