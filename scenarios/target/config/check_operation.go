package config

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/oncespec/oncespec/scenarios/rewrite"
	"github.com/oncespec/oncespec/scenarios/target/template"
)

// The isolations: how the effects of one intent are told from those of all others.
const (
	Marker    = "marker"    // by unique leaves of the payload
	Parent    = "parent"    // by a parent resource of its own, made by the setup
	Exclusive = "exclusive" // by the difference to a reading taken before, with nobody else at work
)

// Names are used in labels, file names and selections, so they are plain. Steps may also be written as JSON members are.
var (
	operationName = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)
	stepName      = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)
)

// subject is one operation being checked.
type subject struct {
	*checker
	at    string
	op    *Operation
	steps allow           // setup.NAME of every step
	body  *rewrite.Node   // nil: no JSON
	base  rewrite.Request // the request as it is written, placeholders and all
	// opaque: the body is a text that may become JSON when it is filled in.
	opaque bool
}

func (k *checker) operation(name string, op *Operation) {
	at := below("/operations", name)
	if op == nil {
		return
	}
	op.Name = name
	if !operationName.MatchString(name) {
		k.problems = append(k.problems, k.problem(k.keyAt(at), at, quote(name), "a name of small letters, digits and single hyphens, such as create-ticket", ""))
	}
	s := &subject{checker: k, at: at, op: op}
	s.setup()
	s.request()
	s.unique()
	s.keep()
	s.vary()
	s.bodySchema()
	s.samples()
	s.alter()
	s.effects()
	s.status()
	s.isolate()
}

func (s *subject) setup() {
	for i := range s.op.Setup {
		step := &s.op.Setup[i]
		here := below(s.at+"/setup", i)
		name := "setup." + step.Name
		switch {
		case step.Name == "":
		case !stepName.MatchString(step.Name):
			s.add(here+"/name", quote(step.Name), "a name of letters, digits, - and _, such as project")
		case slices.Contains(s.steps, name):
			s.add(here+"/name", "the name "+quote(step.Name)+" again", "each step once")
		}
		s.message(here, &step.Request, append(allow{"key", "env"}, s.steps...))
		if stepName.MatchString(step.Name) && !slices.Contains(s.steps, name) {
			s.steps = append(s.steps, name)
		}
	}
}

// request checks the write itself.
func (s *subject) request() {
	here, r := s.at+"/request", &s.op.Request
	if slices.Contains([]string{"GET", "HEAD", "OPTIONS", "TRACE", "CONNECT"}, r.Method) {
		s.add(here+"/method", r.Method, "a method that writes, such as POST")
	}
	for _, name := range s.members[here+"/headers"] {
		if strings.EqualFold(name, s.config.Contract.Name) {
			s.add(below(here+"/headers", name), "the header that carries the key", "none: the run writes it (contract.name)")
		}
	}
	s.message(here, r, append(allow{"key", "env"}, s.steps...))
	s.base = rewrite.Request{Method: r.Method, Body: r.Body}
	if r.Body == nil && r.BodyText != "" {
		s.base.Body = []byte(r.BodyText)
	}
	s.base.Path, s.base.RawQuery, _ = strings.Cut(r.Path, "?")
	for _, name := range s.members[here+"/headers"] {
		s.base.Header = append(s.base.Header, rewrite.Field{Name: name, Value: r.Headers[name]})
	}
	if root, err := rewrite.Parse(s.base.Body); err == nil {
		s.body = root
	} else if t, err := template.Parse(r.BodyText); err == nil {
		s.opaque = r.BodyText != "" && len(t.Placeholders()) > 0
	}
}

// message checks any request, and reads the file that its body is in. may is what its body takes; path and headers may name
// the body as well.
func (k *checker) message(at string, r *Request, may allow) {
	k.method(at+"/method", r.Method)
	head := append(slices.Clone(may), "body")
	k.path(at+"/path", r.Path, head)
	k.headers(at+"/headers", r.Headers)
	for _, name := range k.members[at+"/headers"] {
		here := below(at+"/headers", name)
		for _, ours := range []string{"Host", "Content-Length", "Transfer-Encoding", "Connection"} {
			if strings.EqualFold(name, ours) {
				k.add(here, "the field "+ours, "none: the run writes it")
			}
		}
		k.text(here, r.Headers[name], head)
	}
	k.atMostOne(at, "body", "body_text", "body_file")
	switch {
	case k.has(at + "/body_file"):
		k.bodyFile(at+"/body_file", r)
		k.text(at+"/body_file", r.BodyText, may)
	case k.has(at + "/body_text"):
		k.text(at+"/body_text", r.BodyText, may)
	case r.Body != nil:
		k.tree(at+"/body", r.Body, may)
	}
}

func (k *checker) bodyFile(at string, r *Request) {
	if r.BodyFile == "" {
		k.add(at, "nothing", "the name of a file")
		return
	}
	text, err := readFile(k.beside(r.BodyFile))
	if pathErr := (*os.PathError)(nil); errors.As(err, &pathErr) {
		err = pathErr.Err
	}
	switch {
	case err != nil:
		k.add(at, quote(r.BodyFile), "a file beside the configuration: "+err.Error())
	case len(text) > maxBytes:
		k.add(at, fmt.Sprintf("a file of more than %d bytes", maxBytes), "a smaller one")
	default:
		r.BodyText = string(text)
	}
}

func (s *subject) unique() {
	for i, text := range s.op.Unique {
		here := below(s.at+"/unique", i)
		p, err := rewrite.ParsePointer(text)
		switch {
		case err != nil || len(p) == 0:
			s.add(here, quote(text), "a JSON Pointer such as /title")
			continue
		case slices.Index(s.op.Unique, text) < i:
			s.add(here, quote(text)+" again", "each place once")
			continue
		}
		node := s.inBody(here, text, p)
		if node != nil && node.Kind != rewrite.String && node.Kind != rewrite.Number {
			s.add(here, text+", which names "+article(node.Kind), "a text or a number, which can be made unique")
		}
	}
}

// keep lists the places that are never varied. With another key in its body a request is another operation, so that what the
// target then does says nothing about payloads that it takes for the same.
func (s *subject) keep() {
	s.op.Kept = slices.Clone(s.op.Unique)
	if s.body == nil {
		return
	}
	for _, at := range naming(s.body, "{key}") {
		if !slices.Contains(s.op.Kept, at) {
			s.op.Kept = append(s.op.Kept, at)
		}
	}
}

// inBody finds what a pointer names in the request's body, and says so where it is nothing.
func (s *subject) inBody(here, text string, p rewrite.Pointer) *rewrite.Node {
	if s.body == nil {
		if !s.opaque {
			s.add(here, quote(text), "a request with a JSON body, which it could name a place in")
		}
		return nil
	}
	node, ok := s.body.At(p)
	if !ok {
		s.addNear(here, text, "a place in the request's body", leaves(s.body, nil))
		return nil
	}
	return node
}

// leaves lists the pointers of a value, but for the root.
func leaves(n *rewrite.Node, at rewrite.Pointer) (out []string) {
	if len(at) > 0 {
		out = append(out, at.String())
	}
	for i, item := range n.Items {
		out = append(out, leaves(item, append(slices.Clone(at), fmt.Sprint(i)))...)
	}
	for _, m := range n.Members {
		out = append(out, leaves(m.Value, append(slices.Clone(at), m.Key()))...)
	}
	return out
}

func article(kind rewrite.Kind) string {
	switch kind {
	case rewrite.Null:
		return "null"
	case rewrite.Array, rewrite.Object:
		return "an " + kind.String()
	}
	return "a " + kind.String()
}

// vary asks the rewrites whether they can work with each entry.
func (s *subject) vary() {
	for _, name := range s.members[s.at+"/vary"] {
		here := below(s.at+"/vary", name)
		v := s.op.Vary[name]
		if !strings.HasPrefix(name, "?") {
			p, err := rewrite.ParsePointer(name)
			if err != nil || len(p) == 0 {
				s.problems = append(s.problems, s.problem(s.keyAt(here), here, quote(name), "a JSON Pointer such as /priority, or ?NAME for a parameter of the query", ""))
				continue
			}
			if !s.base.HasFields() && (s.body == nil || !v.Optional && v.Default == nil && v.Type != rewrite.TypeObject && v.Type != rewrite.TypeAny) {
				if s.inBody(here, name, p) == nil {
					continue
				}
			}
		}
		_, err := rewrite.NewSample(s.base, rewrite.Policy{Unique: s.op.Kept, Vary: map[string]rewrite.Vary{name: v}})
		if reason, ours := aboutVary(err, name); ours {
			s.problems = append(s.problems, s.problem(s.keyAt(here), here, quote(name)+" ("+reason+")", "a place that can be varied", ""))
		}
	}
}

// aboutVary picks what is wrong with the entry; what else is wrong with the request is told elsewhere.
func aboutVary(err error, name string) (reason string, ours bool) {
	if err == nil {
		return "", false
	}
	prefix := "vary: " + name + ": "
	for _, line := range strings.Split(err.Error(), "\n") {
		if reason, ours := strings.CutPrefix(line, prefix); ours {
			return reason, true
		}
	}
	return "", false
}

func (s *subject) samples() {
	here := s.at + "/samples"
	for name, patch := range map[string][]byte{"invalid": s.op.Samples.Invalid, "refused": s.op.Samples.Refused, "crash": s.op.Samples.Crash} {
		if patch == nil {
			continue
		}
		s.tree(below(here, name), patch, append(allow{"key", "env"}, s.steps...))
		if s.body == nil && !s.opaque {
			s.add(below(here, name), "a change of the body", "a request with a JSON body, which it could change")
		}
	}
}

func (s *subject) alter() {
	if s.op.Alter == nil {
		return
	}
	s.message(s.at+"/alter", s.op.Alter, append(allow{"answer", "key", "env", "body"}, s.steps...))
}

// isolate fills in how effects are told apart, and refuses what cannot be.
func (s *subject) isolate() {
	here := s.at + "/isolate"
	parent := s.ownParent()
	switch s.op.Isolate {
	case "":
		switch {
		case len(s.op.Unique) > 0:
			s.op.Isolate = Marker
		case parent:
			s.op.Isolate = Parent
		default:
			s.op.Isolate = Exclusive
		}
	case Marker:
		if len(s.op.Unique) == 0 {
			s.add(here, Marker, "unique: places in the body that tell an intent's effects from all others")
		}
	case Parent:
		if !parent {
			s.add(here, Parent, "a place of the intent's own: {setup.NAME:/id} in the request or an effect, or {key} in an effect")
		}
	}
	if s.op.Isolate == Marker && len(s.op.Unique) > 0 {
		s.commandsTellApart()
	}
}

// ownParent tells whether the intent has a place of its own: a parent that the setup makes and the request or a probe names,
// or a probe that looks where only this key leads.
func (s *subject) ownParent() bool {
	probes := make([]string, 0, len(s.op.Effects))
	for _, e := range s.op.Effects {
		probes = append(probes, e.text())
	}
	r := s.op.Request
	writes := append(slices.Collect(maps.Values(r.Headers)), r.Path, string(r.Body), r.BodyText)
	names := func(placeholder string) func(string) bool {
		return func(text string) bool { return strings.Contains(text, placeholder) }
	}
	return slices.ContainsFunc(probes, names("{key}")) ||
		len(s.op.Setup) > 0 && slices.ContainsFunc(append(writes, probes...), names("{setup."))
}

// commandsTellApart wants what a command counts to be told apart by its arguments: its lines hold ids, no markers.
func (s *subject) commandsTellApart() {
	for i, e := range s.op.Effects {
		if e.Command == nil {
			continue
		}
		if !slices.ContainsFunc(e.Command.Run, func(arg string) bool {
			t, err := template.Parse(arg)
			return err != nil || slices.ContainsFunc(t.Placeholders(), s.tellsApart)
		}) {
			s.add(below(s.at+"/effects", i)+"/command/run", "a command that is the same for every intent", "a placeholder such as {key} or {body:"+s.op.Unique[0]+"}, or isolate: exclusive")
		}
	}
}

func (s *subject) tellsApart(p template.Placeholder) bool { return s.op.TellsApart(p) }

// TellsApart says whether a placeholder is filled in differently for every intent.
func (o *Operation) TellsApart(p template.Placeholder) bool {
	switch p.Name {
	case "key", "setup", "answer":
		return true
	case "body":
		return slices.ContainsFunc(o.Unique, func(u string) bool {
			return u == p.Pointer || strings.HasPrefix(u, p.Pointer+"/")
		})
	}
	return false
}
