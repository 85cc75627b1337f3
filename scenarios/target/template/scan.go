package template

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/oncespec/oncespec/scenarios/rewrite"
)

// maxText bounds a template's text; a configuration file is not longer.
const maxText = 1 << 20

var (
	// group is what looks like a placeholder: a word, perhaps with a pointer.
	group = regexp.MustCompile(`^\{([A-Za-z_][A-Za-z0-9_-]*(?:\.[A-Za-z0-9_-]*)?)(:(?:/[^{}]*)?)?\}`)
	// open is a placeholder that takes a pointer, up to its colon.
	open     = regexp.MustCompile(`^\{(?:body|answer|setup\.[A-Za-z0-9_-]+):`)
	variable = regexp.MustCompile(`^\$\{([A-Za-z_][A-Za-z0-9_]*)\}`)
)

// scanner says how braces that are no placeholders are taken.
type scanner struct {
	strict bool           // every other brace is an error, {{ and }} write one
	quoted func(int) bool // tells whether the text at an offset is quoted, where placeholders may not stand
}

func scan(text string, s scanner) ([]part, error) {
	if len(text) > maxText {
		return nil, &Error{Found: fmt.Sprintf("%d bytes", len(text)), Expected: fmt.Sprintf("at most %d", maxText)}
	}
	var parts []part
	var plain strings.Builder
	flush := func() {
		if plain.Len() > 0 {
			parts = append(parts, part{text: plain.String()})
			plain.Reset()
		}
	}
	for i := 0; i < len(text); {
		literal, hole, n, err := s.next(text, i)
		if err != nil {
			return nil, err
		}
		if hole != nil {
			flush()
			parts = append(parts, part{hole: hole})
		}
		plain.WriteString(literal)
		i += n
	}
	flush()
	if len(parts) == 0 {
		parts = []part{{}}
	}
	return parts, nil
}

// next reads one literal piece or one placeholder at i, and tells how long it is.
func (s scanner) next(text string, i int) (literal string, hole *Placeholder, n int, err error) {
	rest := text[i:]
	switch {
	case rest[0] == '$':
		if strings.HasPrefix(rest, "$$") {
			if m := variable.FindString(rest[1:]); m != "" {
				return m, nil, 1 + len(m), nil
			}
		}
		if m := variable.FindStringSubmatch(rest); m != nil {
			hole, err = s.hole(Placeholder{Name: "env", Of: m[1], Offset: i})
			return "", hole, len(m[0]), err
		}
		if strings.HasPrefix(rest, "${") && s.strict {
			return "", nil, 0, &Error{Offset: i, Found: "${", Expected: "the name of an environment variable and }"}
		}
		return "$", nil, 1, nil
	case rest[0] == '{':
		return s.brace(rest, i)
	case rest[0] == '}' && s.strict:
		if strings.HasPrefix(rest, "}}") {
			return "%7D", nil, 2, nil
		}
		return "", nil, 0, &Error{Offset: i, Found: "a closing brace", Expected: "a placeholder before it, or }} for the character"}
	}
	n = strings.IndexAny(rest[1:], "${}")
	if n < 0 {
		n = len(rest) - 1
	}
	return rest[:n+1], nil, n + 1, nil
}

func (s scanner) brace(rest string, i int) (literal string, hole *Placeholder, n int, err error) {
	if s.strict && strings.HasPrefix(rest, "{{") {
		return "%7B", nil, 2, nil
	}
	if strings.HasPrefix(rest, "{{") {
		if m := group.FindString(rest[1:]); m != "" && strings.HasPrefix(rest[1+len(m):], "}") {
			return m, nil, len(m) + 2, nil
		}
		return "{", nil, 1, nil
	}
	m := group.FindStringSubmatch(rest)
	if m == nil {
		if o := open.FindString(rest); o != "" {
			return "", nil, 0, &Error{Offset: i, Found: quotedText(o), Expected: "a JSON Pointer and a closing brace, such as " + o + "/id}"}
		}
		if s.strict {
			return "", nil, 0, &Error{Offset: i, Found: "an opening brace", Expected: "a placeholder such as {key}, or {{ for the character"}
		}
		return "{", nil, 1, nil
	}
	p, err := placeholder(m[0], m[1], m[2], i)
	if err != nil {
		if s.quoted != nil && s.quoted(i) {
			return "{", nil, 1, nil
		}
		return "", nil, 0, err
	}
	hole, err = s.hole(p)
	return "", hole, len(m[0]), err
}

func (s scanner) hole(p Placeholder) (*Placeholder, error) {
	if s.quoted != nil && s.quoted(p.Offset) {
		return nil, &Error{Offset: p.Offset, Found: p.String() + " in quotes or in a comment", Expected: "it without quotes: it is bound as a parameter"}
	}
	return &p, nil
}

// placeholder reads a group: its word, and its pointer with the colon.
func placeholder(whole, word, pointer string, offset int) (Placeholder, error) {
	p := Placeholder{Name: word, Offset: offset}
	if first, step, ok := strings.Cut(word, "."); ok {
		if first != "setup" || step == "" {
			return p, unknown(whole, offset)
		}
		p.Name, p.Of = first, step
	}
	switch p.Name {
	case "key", "port", "dir", "downstream", "store", "duration":
		if pointer != "" {
			return p, &Error{Offset: offset, Found: whole, Expected: "{" + p.Name + "}, which takes no pointer"}
		}
		return p, nil
	case "setup":
		if p.Of == "" {
			return p, &Error{Offset: offset, Found: whole, Expected: "the name of a step, as in {setup.NAME:/id}"}
		}
	case "body", "answer":
	default:
		return p, unknown(whole, offset)
	}
	if pointer == "" {
		return p, &Error{Offset: offset, Found: whole, Expected: "a JSON Pointer, as in {" + word + ":/id}"}
	}
	var err error
	p.Pointer = pointer[1:]
	if p.at, err = rewrite.ParsePointer(p.Pointer); err != nil {
		return p, &Error{Offset: offset, Found: whole, Expected: "a JSON Pointer, in which ~0 stands for ~ and ~1 for /"}
	}
	return p, nil
}

func quoted(char rune) string { return fmt.Sprintf("%q", char) }

func quotedText(text string) string { return head([]byte(text)) }
