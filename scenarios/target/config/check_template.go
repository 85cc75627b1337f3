package config

import (
	"errors"
	"slices"
	"strings"

	"github.com/oncespec/oncespec/scenarios/target/template"
)

// allow lists the placeholders that a place takes, by the template package's names. A setup step is "setup.NAME".
type allow []string

// vars stand in for what only a run knows, so that what is made of a template can be looked at.
func (k *checker) vars() template.Vars {
	return template.Vars{Key: "k", Port: "1", Dir: "/d", Downstream: "http://127.0.0.1:1", Store: "127.0.0.1:1", Duration: "1s", Env: k.config.Env}
}

// text checks a template that is no URL.
func (k *checker) text(at, text string, may allow) {
	t, err := template.Parse(text)
	if err != nil {
		k.templateProblems(at, err)
		return
	}
	k.placeholders(at, t.Placeholders(), may)
}

// path checks a template of a path with a query.
func (k *checker) path(at, text string, may allow) {
	if !k.has(at) {
		return
	}
	t, err := template.ParseURL(text)
	switch {
	case err != nil:
		k.templateProblems(at, err)
		return
	case strings.Contains(text, "://"):
		k.add(at, quote(text), "a path on the target, such as /v1/tickets")
	case text[0] != '/' && !strings.HasPrefix(text, "{answer:") && !strings.HasPrefix(text, "{setup."):
		k.add(at, quote(text), "a path that begins with /")
	}
	k.placeholders(at, t.Placeholders(), may)
}

// urlTemplate checks a template of a URL and fills it in with stand-ins.
func (k *checker) urlTemplate(at, text string, may allow) (filled string, ok bool) {
	t, err := template.Parse(text) // as text: an environment variable may be the whole URL
	if err != nil {
		k.templateProblems(at, err)
		return "", false
	}
	if !k.placeholders(at, t.Placeholders(), may) {
		return "", false
	}
	filled, err = t.Expand(k.vars())
	return filled, err == nil
}

// tree checks a value whose texts are templates.
func (k *checker) tree(at string, value []byte, may allow) {
	if value == nil {
		return
	}
	j, err := template.ParseJSON(value)
	if err != nil {
		k.templateProblems(at, err)
	}
	if j != nil {
		k.placeholders(at, j.Placeholders(), may)
	}
}

func (k *checker) sql(at, text string, dialect template.Dialect, may allow) {
	q, err := template.ParseSQL(text, dialect)
	if err != nil {
		k.templateProblems(at, err)
		return
	}
	k.placeholders(at, q.Placeholders(), may)
}

// expand fills environment variables in, where nothing else may stand.
func (k *checker) expand(at string, values map[string]string) {
	for _, name := range k.members[at] {
		here := below(at, name)
		t, err := template.Parse(values[name])
		if err != nil {
			k.templateProblems(here, err)
			continue
		}
		if !k.placeholders(here, t.Placeholders(), allow{"env"}) {
			continue
		}
		text, err := t.Expand(template.Vars{Env: k.config.Env})
		if err != nil {
			k.add(here, quote(values[name]), err.Error())
			continue
		}
		if strings.ContainsAny(text, "\r\n\x00") && !strings.ContainsAny(values[name], "\r\n\x00") {
			k.add(here, "a line break in "+quote(values[name]), "a value on one line")
		}
		values[name] = text
	}
}

func (k *checker) templateProblems(at string, err error) {
	if all, ok := err.(interface{ Unwrap() []error }); ok {
		for _, one := range all.Unwrap() {
			k.templateProblems(at, one)
		}
		return
	}
	var bad *template.Error
	if !errors.As(err, &bad) {
		k.add(at, "what cannot be read", err.Error())
		return
	}
	at += bad.Pointer
	k.problems = append(k.problems, k.problem(k.within(at, bad.Offset), at, bad.Found, bad.Expected, bad.Near))
}

// within is the place of a byte of a text. Where the text is not spelled as it is read (escapes, several lines) it is that
// of the whole.
func (k *checker) within(pointer string, offset int) place {
	at := k.at(pointer)
	text, ok := valueAt(k.root, tokensOf(pointer)).(string)
	if !ok || at.line > len(k.lines) || offset > len(text) {
		return at
	}
	line := []rune(k.lines[at.line-1])
	start := at.column - 1
	if start < len(line) && (line[start] == '"' || line[start] == '\'') {
		start++
	}
	if start > len(line) || !strings.HasPrefix(string(line[start:]), text) {
		return at
	}
	return place{at.line, start + 1 + len([]rune(text[:offset]))}
}

// placeholders refuses those that a place does not take, and notes environment variables.
func (k *checker) placeholders(at string, list []template.Placeholder, may allow) (ok bool) {
	ok = true
	for _, p := range list {
		name := p.Name
		if name == "setup" {
			name = "setup." + p.Of
		}
		found, expected, near := p.String(), "", ""
		switch {
		case name == "env" && slices.Contains(may, name):
			if k.variable(p.Of) {
				continue
			}
			found, expected = p.String()+", which is not set", "an environment variable that is"
		case name == "dir" && !k.startsTarget():
			expected = "none: only a target that the run starts (target.lifecycle.process or container) has a folder"
		case name == "dir" && !slices.Contains(may, name) && k.inContainer():
			expected = "none: a container has no folder but its volume, which only the container sees"
		case name == "port" && !k.startsTarget():
			expected = "a port: only a target that the run starts (target.lifecycle.process or container) is given one"
		case name == "downstream" && k.config.Target.Downstream == nil:
			expected = "target.downstream, which it is the URL of"
		case name == "store" && k.config.Target.Store == nil:
			expected = "target.store, which it is the address of"
		case slices.Contains(may, name):
			continue
		case p.Name == "setup":
			expected, near = unknownStep(p, may)
		case p.Name == "answer":
			expected = "what the caller holds before an answer, which may be lost: " + may.words()
		default:
			expected = "none here"
			if takes := may.words(); takes != "" {
				expected = takes
			}
		}
		ok = false
		here := at + p.In
		k.problems = append(k.problems, k.problem(k.within(here, p.Offset), here, found, expected, near))
	}
	return ok
}

func (k *checker) startsTarget() bool {
	l := k.config.Target.Lifecycle
	return l != nil && (l.Process != nil || l.Container != nil)
}

func (k *checker) variable(name string) bool {
	if _, known := k.config.Env[name]; known {
		return true
	}
	if k.env == nil {
		return false
	}
	value, set := k.env(name)
	if set {
		k.config.Env[name] = value
	}
	return set
}

func unknownStep(p template.Placeholder, may allow) (expected, nearest string) {
	var steps []string
	for _, name := range may {
		if step, ok := strings.CutPrefix(name, "setup."); ok {
			steps = append(steps, step)
		}
	}
	if len(steps) == 0 {
		return "no step of the setup: there is none before it", ""
	}
	if step := near(p.Of, steps); step != "" {
		p.Of = strings.Trim(step, `"`)
		nearest = p.String()
	}
	return "a step of the setup: " + either(steps), nearest
}

// words lists what a place takes, as it is written.
func (may allow) words() string {
	var out []string
	for _, name := range may {
		switch {
		case name == "env":
			out = append(out, "${NAME}")
		case name == "body" || name == "answer" || strings.HasPrefix(name, "setup."):
			out = append(out, "{"+name+":/…}")
		default:
			out = append(out, "{"+name+"}")
		}
	}
	return either(out)
}
