package template

import (
	"fmt"
	"strings"

	"github.com/oncespec/oncespec/mockapi/spelling"
)

// Error says what is wrong with a template, and where.
type Error struct {
	Pointer  string // of the value in a JSON template
	Offset   int    // in the template's text (of that value), in bytes
	Found    string
	Expected string
	Near     string // what was probably meant, or empty
}

func (e *Error) Error() string {
	text := fmt.Sprintf("found %s, expected %s", e.Found, e.Expected)
	if e.Near != "" {
		text += fmt.Sprintf(" (did you mean %s?)", e.Near)
	}
	return text
}

// names are the placeholders as they are written.
var names = []string{"{body:/…}", "{answer:/…}", "{setup.NAME:/…}", "{key}", "{port}", "{dir}", "{downstream}", "{store}", "{duration}", "${NAME}"}

func unknown(group string, offset int) *Error {
	e := &Error{
		Offset:   offset,
		Found:    "an unknown placeholder " + group,
		Expected: fmt.Sprintf("one of %s, or {%s} for the text itself", strings.Join(names, ", "), group),
	}
	inside := strings.Trim(group, "{}")
	name, rest, _ := strings.Cut(inside, ":")
	step := ""
	if first, second, ok := strings.Cut(name, "."); ok && spelling.Nearest(first, []string{"setup"}) != "" {
		name, step = first, "."+second
	}
	switch e.Near = spelling.Nearest(name, []string{"body", "answer", "setup", "key", "port", "dir", "downstream", "store", "duration"}); e.Near {
	case "":
	case "body", "answer":
		e.Near = "{" + e.Near + ":/" + strings.TrimPrefix(rest, "/") + "}"
	case "setup":
		e.Near = "{setup" + step + ":/" + strings.TrimPrefix(rest, "/") + "}"
	default:
		e.Near = "{" + e.Near + "}"
	}
	return e
}
