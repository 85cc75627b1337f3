package config

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/oncespec/oncespec/mockapi/spelling"
)

// Problem is one thing that is wrong with a file, and where.
type Problem struct {
	File     string
	Line     int    // from 1
	Column   int    // from 1, in characters
	Where    string // such as operations.create-ticket.request.path; empty where the file is no YAML
	Found    string
	Expected string
	Near     string // what was probably meant, or empty
	Source   string // the line

	pointer string
}

// Error is the place and the problem, and below it the line with a mark.
func (p *Problem) Error() string {
	if p.Source == "" {
		return p.String()
	}
	number := fmt.Sprint(p.Line)
	// Tabs and wide characters are kept, so that the mark stands under its place.
	indent := []rune(p.Source)
	indent = indent[:min(max(p.Column-1, 0), len(indent))]
	for i, r := range indent {
		if r != '\t' {
			indent[i] = ' '
		}
	}
	return fmt.Sprintf("%s\n  %s | %s\n  %s | %s^", p.String(), number, p.Source, strings.Repeat(" ", len(number)), string(indent))
}

// String is the place and the problem on one line.
func (p *Problem) String() string {
	text := fmt.Sprintf("%s:%d:%d: ", p.File, p.Line, p.Column)
	if p.Where != "" {
		text += p.Where + ": "
	}
	text += "found " + p.Found + ", expected " + p.Expected
	if p.Near != "" {
		text += " (did you mean " + p.Near + "?)"
	}
	return text
}

// Problems are all that are wrong with a file, in its order. Unwrap gives each of them.
type Problems []*Problem

func (p Problems) Error() string {
	lines := make([]string, len(p))
	for i, one := range p {
		lines[i] = one.Error()
	}
	return strings.Join(lines, "\n")
}

// Unwrap lists the problems.
func (p Problems) Unwrap() []error {
	out := make([]error, len(p))
	for i, one := range p {
		out[i] = one
	}
	return out
}

// sorted drops what is said twice.
func (p Problems) sorted() Problems {
	slices.SortStableFunc(p, func(a, b *Problem) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column), cmp.Compare(a.String(), b.String()))
	})
	return slices.CompactFunc(p, func(a, b *Problem) bool { return a.String() == b.String() })
}

// about tells whether one of the problems is in a value.
func (p Problems) about(pointer string) bool {
	return slices.ContainsFunc(p, func(one *Problem) bool {
		return one.pointer == pointer || strings.HasPrefix(one.pointer, pointer+"/")
	})
}

// err is nil where there is nothing.
func (p Problems) err() error {
	if len(p) == 0 {
		return nil
	}
	return p.sorted()
}

// maxQuote bounds what a message quotes of a value.
const maxQuote = 60

// quote shows a value.
func quote(text string) string {
	if runes := []rune(text); len(runes) > maxQuote {
		return fmt.Sprintf("%q…", string(runes[:maxQuote]))
	}
	return fmt.Sprintf("%q", text)
}

// near is the word that a misspelt one is probably meant to be, quoted, or empty.
func near(found string, words []string) string {
	if word := spelling.Nearest(found, words); word != "" {
		return quote(word)
	}
	return ""
}

// either joins words: a, b or c.
func either(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " or " + words[len(words)-1]
}
