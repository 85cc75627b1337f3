package config

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"github.com/oncespec/oncespec/scenarios/display"
	"github.com/oncespec/oncespec/scenarios/rewrite"
	"github.com/oncespec/oncespec/scenarios/target/secret"
)

// Bounds of a file. What a person writes is far from them; what is made to exhaust us is not.
const (
	maxBytes = 1 << 20
	maxDepth = 64
	maxNodes = 100_000 // values, with every use of an anchor counted
)

// shortestSecret keeps a part of a secret from being masked wherever its letters occur.
const shortestSecret = 4

// place is where something stands, both from 1.
type place struct{ line, column int }

// document is a file as JSON, with the place of every value. Everything is found by JSON Pointer.
type document struct {
	name  string
	lines []string
	json  []byte
	root  any // the same, decoded; numbers are json.Number

	keys    map[string]place    // of members: their names
	values  map[string]place    // of all values
	members map[string][]string // of objects: their names, as written
}

// read turns YAML into JSON that keeps the order of members and the spelling of numbers. The problems are empty or say why
// there is no document.
func read(name string, data []byte) (*document, Problems) {
	data = bytes.TrimPrefix(data, []byte("\uFEFF")) // some editors begin a file with a mark of its encoding
	d := &document{
		name: name, lines: strings.Split(string(data), "\n"),
		keys: map[string]place{}, values: map[string]place{}, members: map[string][]string{},
	}
	at := place{1, 1}
	switch {
	case len(data) > maxBytes:
		return d, Problems{d.problem(at, "", fmt.Sprintf("a file of %d bytes", len(data)), fmt.Sprintf("at most %d", maxBytes), "")}
	case !utf8.Valid(data):
		return d, Problems{d.problem(d.badByte(data), "", "bytes that are no UTF-8", "text", "")}
	}
	root, problem := d.parse(string(data))
	if problem != nil {
		return d, Problems{problem}
	}
	w := writer{document: d, anchors: map[string]ast.Node{}}
	w.value(root, "", 0)
	d.json = w.out
	return d, w.problems
}

func (d *document) badByte(data []byte) place {
	line, column := 1, 1
	for len(data) > 0 {
		r, size := utf8.DecodeRune(data)
		if r == utf8.RuneError && size == 1 {
			break
		}
		column++
		if r == '\n' {
			line, column = line+1, 1
		}
		data = data[size:]
	}
	return place{line, column}
}

// parse reads one YAML document.
func (d *document) parse(text string) (root ast.Node, problem *Problem) {
	defer func() {
		// The library is not made for hostile input; whatever it trips over, it is the file that is wrong.
		if r := recover(); r != nil {
			root, problem = nil, d.problem(place{1, 1}, "", "what cannot be read as YAML", "YAML", "")
		}
	}()
	tokens := lexer.Tokenize(text)
	if problem := d.bounded(tokens); problem != nil {
		return nil, problem
	}
	file, err := parser.Parse(tokens, 0, parser.AllowDuplicateMapKey())
	if err != nil {
		return nil, d.syntax(err)
	}
	for _, doc := range file.Docs {
		switch {
		case doc.Body == nil || doc.Body.Type() == ast.DirectiveType || doc.Body.Type() == ast.CommentType:
		case root != nil:
			return nil, d.problem(placeOfNode(doc.Body), "", "a second document", "one", "")
		default:
			root = doc.Body
		}
	}
	if root == nil {
		return nil, d.problem(place{1, 1}, "", "an empty file", "target and operations", "")
	}
	return root, nil
}

// bounded refuses nesting that would exhaust the parser, which recurses.
func (d *document) bounded(tokens token.Tokens) *Problem {
	flow, run, line := 0, 0, 0
	for _, t := range tokens {
		switch t.Type {
		case token.MappingStartType, token.SequenceStartType:
			flow++
		case token.MappingEndType, token.SequenceEndType:
			flow--
		}
		switch t.Type {
		case token.SequenceEntryType, token.MappingKeyType, token.TagType, token.AnchorType, token.MappingValueType:
			if t.Position.Line != line {
				run, line = 0, t.Position.Line
			}
			if flow <= 0 {
				run++
			}
		}
		if flow > maxDepth || run > maxDepth {
			return d.problem(placeOf(t), "", "too deep a nesting", fmt.Sprintf("at most %d levels", maxDepth), "")
		}
	}
	return nil
}

func (d *document) syntax(err error) *Problem {
	at := place{1, 1}
	message := "not YAML"
	var known yaml.Error
	if errors.As(err, &known) {
		at, message = placeOf(known.GetToken()), known.GetMessage()
	}
	return d.problem(at, "", "a syntax error", "YAML: "+message, "")
}

func placeOf(t *token.Token) place {
	if t == nil || t.Position == nil {
		return place{1, 1}
	}
	return place{max(t.Position.Line, 1), max(t.Position.Column, 1)}
}

// problem makes one at a place. The pointer says which value it is about.
func (d *document) problem(at place, pointer, found, expected, near string) *Problem {
	hidden := d.secretsAt(pointer)
	p := &Problem{File: d.name, Line: at.line, Column: at.column, Where: dotted(pointer), pointer: pointer, Found: secret.Line(found, hidden...), Expected: expected, Near: near}
	if at.line >= 1 && at.line <= len(d.lines) {
		p.Source = display.Text(secret.Line(strings.TrimRight(d.lines[at.line-1], "\r"), hidden...))
		if runes := []rune(p.Source); len(runes) > 200 {
			p.Source = string(runes[:200]) + "…"
		}
	}
	return p
}

// secretsAt are the texts that a problem with a value must not quote: what tenants prove themselves with, as far as the file
// could be read, and the value itself where its name says that it is secret.
func (d *document) secretsAt(pointer string) (hidden []string) {
	hide := func(v any) {
		text, _ := v.(string)
		if text == "" {
			return
		}
		hidden = append(hidden, text, string([]rune(text)[:min(maxQuote, len([]rune(text)))]))
		// In the file it may be spelled with escapes.
		for _, part := range strings.FieldsFunc(text, func(r rune) bool { return unicode.IsControl(r) || strings.ContainsRune(`"'\\`, r) }) {
			if len(part) >= shortestSecret {
				hidden = append(hidden, part)
			}
		}
	}
	tenants, _ := valueAt(d.root, []string{"target", "tenants"}).(map[string]any)
	for _, tenant := range tenants {
		for _, kind := range []string{"headers", "renewed"} {
			headers, _ := valueAt(tenant, []string{kind}).(map[string]any)
			for name, value := range headers {
				if !secret.PlainHeader(name) {
					hide(value)
				}
			}
		}
	}
	tokens := tokensOf(pointer)
	if n := len(tokens); n > 0 && (secret.Header(tokens[n-1]) || secret.Member(tokens[n-1])) {
		hide(valueAt(d.root, tokens))
	}
	return hidden
}

// at is where a value stands, or the nearest one above it.
func (d *document) at(pointer string) place {
	for {
		if at, ok := d.values[pointer]; ok {
			return at
		}
		i := strings.LastIndexByte(pointer, '/')
		if i < 0 {
			return place{1, 1}
		}
		pointer = pointer[:i]
	}
}

// keyAt is where the name of a member stands, or the value where it has none.
func (d *document) keyAt(pointer string) place {
	if at, ok := d.keys[pointer]; ok {
		return at
	}
	return d.at(pointer)
}

func (d *document) has(pointer string) bool {
	_, ok := d.values[pointer]
	return ok
}

// dotted writes a pointer for people: operations.create-ticket.unique[0].
func dotted(pointer string) string {
	var b strings.Builder
	for _, token := range tokensOf(pointer) {
		switch {
		case isIndex(token):
			b.WriteString("[" + token + "]")
		case len(token) > maxQuote || !plainToken.MatchString(token):
			b.WriteString("[" + quote(token) + "]")
		default:
			if b.Len() > 0 {
				b.WriteByte('.')
			}
			b.WriteString(token)
		}
	}
	return b.String()
}

var plainToken = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)

func isIndex(token string) bool {
	return token != "" && strings.Trim(token, "0123456789") == ""
}

// tokensOf splits a pointer that is known to be one.
func tokensOf(pointer string) rewrite.Pointer {
	p, err := rewrite.ParsePointer(pointer)
	if err != nil {
		return nil
	}
	return p
}

// below is the pointer of a member or an item.
func below(pointer string, token any) string {
	return pointer + rewrite.Pointer{fmt.Sprint(token)}.String()
}
