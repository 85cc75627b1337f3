package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/oncespec/oncespec/scenarios/rewrite"
	"github.com/oncespec/oncespec/scenarios/target/template"
)

// text is all of an effect that may hold placeholders.
func (e Effect) text() string {
	switch {
	case e.HTTP != nil:
		return e.HTTP.Get
	case e.Value != nil:
		return e.Value.Get
	case e.SQL != nil:
		return e.SQL.Query
	case e.Command != nil:
		return strings.Join(e.Command.Run, " ")
	}
	return ""
}

func (s *subject) effects() {
	may := append(allow{"body", "key", "env"}, s.steps...)
	for i, e := range s.op.Effects {
		at := below(s.at+"/effects", i)
		switch s.exactlyOne(at, "http", "value", "sql", "command", "downstream") {
		case "http":
			s.read(at+"/http/get", e.HTTP.Get, may)
			s.jsonPath(at+"/http/items", e.HTTP.Items, false)
			s.jsonPath(at+"/http/id", e.HTTP.ID, true)
			s.jsonPath(at+"/http/next", e.HTTP.Next, true)
		case "value":
			s.read(at+"/value/get", e.Value.Get, may)
			s.jsonPath(at+"/value/at", e.Value.At, true)
		case "sql":
			s.database(at+"/sql", e.SQL, may)
		case "command":
			for j, arg := range e.Command.Run {
				s.text(below(at+"/command/run", j), arg, append(append(s.folder(), "port", "downstream"), may...))
				s.namesBody(below(at+"/command/run", j), holes(template.Parse(arg)))
			}
			if len(e.Command.Run) > 0 && e.Command.Run[0] == "" {
				s.add(at+"/command/run/0", "nothing", "a program")
			}
		case "downstream":
			s.ledger(at+"/downstream", e.Downstream)
		}
	}
}

// read checks a path that a probe reads.
func (s *subject) read(at, path string, may allow) {
	s.path(at, path, may)
	s.namesBody(at, holes(template.ParseURL(path)))
}

// holes lists the placeholders of a template; what is wrong with it is told elsewhere.
func holes[T interface{ Placeholders() []template.Placeholder }](t T, err error) []template.Placeholder {
	if err != nil {
		return nil
	}
	return t.Placeholders()
}

// namesBody refuses {body:/…} that names nothing in the request's body.
func (s *subject) namesBody(at string, list []template.Placeholder) {
	for _, p := range list {
		if p.Name != "body" {
			continue
		}
		pointer, err := rewrite.ParsePointer(p.Pointer)
		if err != nil {
			continue
		}
		if s.body == nil {
			if !s.opaque {
				s.problems = append(s.problems, s.problem(s.within(at, p.Offset), at, p.String(), "a request with a JSON body, which it could name a place in", ""))
			}
			continue
		}
		if _, ok := s.body.At(pointer); !ok {
			nearest := near(p.Pointer, leaves(s.body, nil))
			if nearest != "" {
				nearest = "{body:" + strings.Trim(nearest, `"`) + "}"
			}
			s.problems = append(s.problems, s.problem(s.within(at, p.Offset), at, p.String(), "a place in the request's body", nearest))
		}
	}
}

func (s *subject) database(at string, e *SQLEffect, may allow) {
	dialect := template.Dialect(e.Driver)
	dsn, ok := s.urlTemplate(at+"/dsn", e.DSN, append(s.folder(), "port", "env"))
	switch {
	case !s.has(at+"/dsn") || !ok:
	case dsn == "":
		s.add(at+"/dsn", "nothing", "where the database is")
	case dialect == template.Postgres:
		if _, err := pgx.ParseConfig(dsn); err != nil {
			s.add(at+"/dsn", "what is no address of a PostgreSQL database", "a URL such as postgres://user@127.0.0.1:5432/orders")
		}
	}
	if !s.has(at + "/query") {
		return
	}
	s.sql(at+"/query", e.Query, dialect, may)
	s.namesBody(at+"/query", holes(template.ParseSQL(e.Query, dialect)))
	word := strings.ToLower(strings.TrimLeft(e.Query, " \t\r\n("))
	if !strings.HasPrefix(word, "select") && !strings.HasPrefix(word, "with") && !strings.HasPrefix(word, "values") {
		s.add(at+"/query", quote(e.Query), "a query that reads: select …")
	}
}

func (s *subject) ledger(at string, e *LedgerEffect) {
	if s.config.Target.Downstream == nil {
		s.problems = append(s.problems, s.problem(s.keyAt(at), at, "an effect downstream", "target.downstream, where it would be seen", ""))
	}
	if e.Method != "" {
		s.method(at+"/method", e.Method)
	}
	if e.Path != "" {
		s.route(at+"/path", e.Path)
	}
}

// states are what a status probe maps to.
var states = []string{"in_progress", "succeeded", "failed", "unknown"}

func (s *subject) status() {
	p, at := s.op.Status, s.at+"/status"
	if p == nil {
		return
	}
	s.read(at+"/get", p.Get, append(allow{"body", "key", "env"}, s.steps...))
	s.jsonPath(at+"/state", p.State, true)
	s.jsonPath(at+"/reference", p.Reference, true)
	meaning := map[string]string{}
	for _, state := range s.members[at+"/states"] {
		here := below(at+"/states", state)
		if !slices.Contains(states, state) {
			s.problems = append(s.problems, s.problem(s.keyAt(here), here, quote(state), "one of "+either(states), near(state, states)))
		}
		for i, word := range p.States[state] {
			if other, twice := meaning[word]; twice {
				s.add(below(here, i), fmt.Sprintf("%s, which is %s already", quote(word), other), "each word once")
			}
			meaning[word] = state
		}
	}
	if p.States == nil {
		p.States = map[string][]string{}
	}
	for _, state := range states {
		if _, given := p.States[state]; !given && meaning[state] == "" {
			p.States[state] = []string{state}
		}
	}
	maps.DeleteFunc(p.States, func(_ string, words []string) bool { return len(words) == 0 })
}
