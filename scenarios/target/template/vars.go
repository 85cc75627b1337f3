package template

import (
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/oncespec/oncespec/scenarios/rewrite"
)

// Vars is what placeholders are filled in from. What is empty is not there: a template that needs it fails to expand.
type Vars struct {
	Body       []byte            // of the request, as sent
	Answer     []byte            // body of the first answer
	Setup      map[string][]byte // bodies of the setup's answers, by step
	Key        string
	Port       string
	Dir        string
	Downstream string            // URL without a trailing slash
	Store      string            // host:port of the link to the database
	Duration   string            // of target.clock: by how much
	Env        map[string]string // variables by name; unlike the rest, an empty one is there
}

// Placeholder is one place in a template that is filled in.
type Placeholder struct {
	Name    string // body, answer, setup, key, port, dir, downstream, store, duration or env
	Of      string // setup: the step; env: the variable
	Pointer string // body, answer, setup: a JSON Pointer; empty names the whole
	In      string // of a JSON template: the pointer of the text it stands in
	Offset  int    // in the template's text, in bytes

	at rewrite.Pointer
}

// String is the placeholder as it is written.
func (p Placeholder) String() string {
	switch p.Name {
	case "env":
		return "${" + p.Of + "}"
	case "setup":
		return "{setup." + p.Of + ":" + p.Pointer + "}"
	case "body", "answer":
		return "{" + p.Name + ":" + p.Pointer + "}"
	}
	return "{" + p.Name + "}"
}

// value finds what the placeholder names.
func (p Placeholder) value(v Vars) (*rewrite.Node, error) {
	var text, what string
	switch p.Name {
	case "body":
		return p.in(v.Body, "there is no request body here")
	case "answer":
		return p.in(v.Answer, "there is no answer here")
	case "setup":
		return p.in(v.Setup[p.Of], fmt.Sprintf("the setup step %q left no answer", p.Of))
	case "env":
		value, ok := v.Env[p.Of]
		if !ok {
			return nil, fmt.Errorf("%s: the environment variable is not set", p)
		}
		return node(value)
	case "key":
		text, what = v.Key, "there is no key here"
	case "port":
		text, what = v.Port, "no port was chosen: the target is not started by the run"
	case "dir":
		text, what = v.Dir, "there is no folder: the target is not started by the run"
	case "downstream":
		text, what = v.Downstream, "there is no gate: the target's downstream is not configured"
	case "store":
		text, what = v.Store, "there is no store link: the target's database is not configured"
	case "duration":
		text, what = v.Duration, "no time is to pass here"
	}
	if text == "" {
		return nil, fmt.Errorf("%s: %s", p, what)
	}
	return node(text)
}

func (p Placeholder) in(doc []byte, absent string) (*rewrite.Node, error) {
	if len(doc) == 0 {
		return nil, fmt.Errorf("%s: %s", p, absent)
	}
	root, err := rewrite.Parse(doc)
	if err != nil {
		return nil, fmt.Errorf("%s: expected JSON, found %s: %w", p, head(doc), err)
	}
	n, ok := root.At(p.at)
	if !ok {
		return nil, fmt.Errorf("%s: nothing at %s in %s", p, p.Pointer, head(doc))
	}
	return n, nil
}

// scalar is a value as plain text.
func (p Placeholder) scalar(v Vars) (string, error) {
	n, err := p.value(v)
	if err != nil {
		return "", err
	}
	switch n.Kind {
	case rewrite.String:
		return decoded(p, n)
	case rewrite.Number, rewrite.Bool:
		return n.Text, nil
	}
	return "", fmt.Errorf("%s: expected text, a number, true or false, found %s", p, head(n.Append(nil)))
}

func decoded(p Placeholder, n *rewrite.Node) (string, error) {
	text, err := jsontext.AppendUnquote(nil, n.Text)
	if err != nil {
		return "", fmt.Errorf("%s: expected text, found %s: %w", p, head([]byte(n.Text)), err)
	}
	return string(text), nil
}

func node(text string) (*rewrite.Node, error) {
	literal, err := jsontext.AppendQuote(nil, text)
	if err != nil {
		return nil, fmt.Errorf("%q: expected UTF-8: %w", text, err)
	}
	return &rewrite.Node{Kind: rewrite.String, Text: string(literal)}, nil
}

// head quotes the beginning of what came from elsewhere.
func head(text []byte) string {
	const most = 80
	if len(text) > most {
		return fmt.Sprintf("%q…", text[:most])
	}
	return fmt.Sprintf("%q", text)
}
