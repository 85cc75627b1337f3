package template

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/oncespec/oncespec/scenarios/rewrite"
)

// Dialect is how a database spells parameters.
type Dialect string

// The dialects.
const (
	Postgres Dialect = "postgres" // $1
	SQLite   Dialect = "sqlite"   // ?
)

// Query is an SQL query whose placeholders are bound as parameters. It is read-only and safe for concurrent use.
type Query struct {
	parts   []part
	dialect Dialect
}

// ParseSQL reads a query. A placeholder in quotes or in a comment is an error, since nothing could be bound there.
func ParseSQL(text string, dialect Dialect) (*Query, error) {
	parts, err := scan(text, scanner{quoted: quotes(text, dialect)})
	if err != nil {
		return nil, err
	}
	return &Query{parts: parts, dialect: dialect}, nil
}

// Placeholders lists what the query needs, in order.
func (q *Query) Placeholders() []Placeholder { return holes(q.parts) }

// Bind returns the query in the driver's spelling, and its arguments.
func (q *Query) Bind(v Vars) (query string, args []any, err error) {
	var b strings.Builder
	for _, p := range q.parts {
		if p.hole == nil {
			b.WriteString(p.text)
			continue
		}
		arg, err := p.hole.argument(v, q.dialect)
		if err != nil {
			return "", nil, err
		}
		args = append(args, arg)
		if q.dialect == Postgres {
			fmt.Fprintf(&b, "$%d", len(args))
		} else {
			b.WriteByte('?')
		}
	}
	return b.String(), args, nil
}

// argument is a value as a parameter. PostgreSQL gets text, which it reads as whatever the place in the query takes; SQLite
// compares by the type of the value, so numbers stay numbers there.
func (p Placeholder) argument(v Vars, dialect Dialect) (any, error) {
	n, err := p.value(v)
	if err != nil {
		return nil, err
	}
	switch n.Kind {
	case rewrite.Null:
		return nil, nil
	case rewrite.String:
		return decoded(p, n)
	case rewrite.Bool:
		if dialect == SQLite {
			return n.Text == "true", nil
		}
	case rewrite.Number:
		if dialect != SQLite {
			break
		}
		if i, err := strconv.ParseInt(n.Text, 10, 64); err == nil {
			return i, nil
		}
		if f, err := strconv.ParseFloat(n.Text, 64); err == nil && strconv.FormatFloat(f, 'f', -1, 64) == n.Text {
			return f, nil
		}
	}
	return string(n.Append(nil)), nil
}

// quotes tells, for each offset, whether it is in quotes or in a comment.
func quotes(text string, dialect Dialect) func(int) bool {
	type span struct{ from, to int }
	var spans []span
	for i := 0; i < len(text); {
		end := quoteEnd(text[i:], dialect)
		if end == 0 {
			i++
			continue
		}
		spans = append(spans, span{i, i + end})
		i += end
	}
	return func(at int) bool {
		for _, s := range spans {
			if s.from <= at && at < s.to {
				return true
			}
		}
		return false
	}
}

// quoteEnd is the length of the quoted piece or comment that the text begins with, or 0.
func quoteEnd(text string, dialect Dialect) int {
	closing := func(opening, mark string) int {
		if i := strings.Index(text[len(opening):], mark); i >= 0 {
			return len(opening) + i + len(mark)
		}
		return len(text)
	}
	switch {
	case text[0] == '\'' || text[0] == '"': // a doubled quote reads as the end and a new beginning, which comes to the same
		return closing(text[:1], text[:1])
	case strings.HasPrefix(text, "--"):
		return closing("--", "\n")
	case strings.HasPrefix(text, "/*"):
		return closing("/*", "*/")
	case dialect == Postgres && text[0] == '$':
		if tag := dollarTag(text); tag != "" {
			return closing(tag, tag)
		}
	}
	return 0
}

// dollarTag is the tag that opens a dollar-quoted text, such as $$ or $q$.
func dollarTag(text string) string {
	for i := 1; i < len(text); i++ {
		switch c := text[i]; {
		case c == '$':
			return text[:i+1]
		case c != '_' && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (i == 1 || c < '0' || c > '9'):
			return ""
		}
	}
	return ""
}
