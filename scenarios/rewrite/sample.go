package rewrite

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"pgregory.net/rapid"

	"github.com/oncespec/oncespec/mockapi/contract"
)

// Policy is what the owner of a sample allows.
type Policy struct {
	Unique   []string          // JSON Pointers of markers: never changed in value
	Vary     map[string]Vary   // what may change; empty: every other leaf, by its type, as a guess
	Contract contract.Contract // names the key header, and the fields and orders that do not count
	Fixed    []string          // places, named as in Vary, that turned out not to vary after all: a control was refused
	// Bodies draws the changes that make another valid body, in place of what Vary alone allows; nil: by Vary.
	Bodies  func(*rapid.T, *Sample) []Change
	Renewed []Field // headers with newer credentials of the same principal
}

// Sample is one valid request and what may change in it. It is read-only and safe for concurrent use.
type Sample struct {
	request  Request
	root     *Node // nil: the body is no JSON
	policy   Policy
	unique   []Pointer
	counted  []Pointer        // by contract: nothing else of the body counts; empty: all of it does
	excluded []Pointer        // by contract: they do not count
	sets     []Pointer        // by contract: their order does not count
	fixed    []Pointer        // in the body
	body     []varied         // in the order of their pointers, so that every choice is repeatable
	query    map[string]*rule // by decoded parameter name
	fields   map[string]*rule // of a form or a multipart body, by name
	parts    *multipart       // nil: the body is not multipart/form-data
	drawn    *drawn
}

// varied is one place in the body that may change.
type varied struct {
	at   Pointer
	rule *rule
}

// NewSample checks a policy against a request. A JSON body is kept without white space; number and string literals stay as
// written. Errors name the pointer or parameter that they are about; several are joined.
func NewSample(request Request, policy Policy) (*Sample, error) {
	s := &Sample{request: request.Clone(), policy: policy, query: map[string]*rule{}, fields: map[string]*rule{}, drawn: &drawn{}}
	problems := []error{s.readBody()}
	for _, pointer := range policy.Unique {
		at, node, err := s.resolve(pointer)
		if err == nil && node == nil {
			err = fmt.Errorf("%s: names nothing in the request body", pointer)
		}
		problems = append(problems, wrap("unique", err))
		s.unique = append(s.unique, at)
	}
	var err error
	s.excluded, err = parsePointers(policy.Contract.Fingerprint.Exclude)
	problems = append(problems, wrap("fingerprint.exclude", err))
	s.counted, err = parsePointers(policy.Contract.Fingerprint.Fields)
	problems = append(problems, wrap("fingerprint.fields", err))
	s.sets, err = parsePointers(policy.Contract.Fingerprint.Sets)
	problems = append(problems, wrap("fingerprint.sets", err))
	s.fixed, err = parsePointers(slices.DeleteFunc(slices.Clone(policy.Fixed), func(name string) bool { return strings.HasPrefix(name, "?") }))
	problems = append(problems, wrap("fixed", err))
	for _, name := range slices.Sorted(maps.Keys(policy.Vary)) {
		problems = append(problems, wrap("vary", s.addVary(name, policy.Vary[name])))
	}
	if err := errors.Join(problems...); err != nil {
		return nil, err
	}
	return s, nil
}

// Request returns a copy of the sample's request.
func (s *Sample) Request() Request { return s.request.Clone() }

// head is a copy of the sample's request without its body.
func (s *Sample) head() Request {
	r := s.request
	r.Header, r.Body = slices.Clone(r.Header), nil
	return r
}

// room is memory for a body like the sample's.
func (s *Sample) room() []byte { return make([]byte, 0, len(s.request.Body)+len(s.request.Body)/8+64) }

func (s *Sample) readBody() error {
	if s.request.MediaType() == "multipart/form-data" {
		parts, err := readMultipart(s.request)
		if err != nil {
			return fmt.Errorf("request body: %w", err)
		}
		s.parts = parts
		return nil
	}
	if len(s.request.Body) == 0 || !s.request.saysJSON() {
		return nil
	}
	root, err := Parse(s.request.Body)
	if err != nil {
		if s.request.MediaType() == "" {
			return nil // nobody said it was JSON
		}
		return fmt.Errorf("request body: %w", err)
	}
	s.root = root
	s.request.Body = root.Append(nil)
	return nil
}

// resolve parses a pointer into the body; the node is nil where it names nothing.
func (s *Sample) resolve(pointer string) (Pointer, *Node, error) {
	at, err := ParsePointer(pointer)
	if err != nil {
		return nil, nil, err
	}
	if s.root == nil {
		return nil, nil, fmt.Errorf("%s: the request has no JSON body that a JSON Pointer could name a place in", pointer)
	}
	node, _ := s.root.At(at)
	return at, node, nil
}

func (s *Sample) addVary(name string, vary Vary) error {
	if parameter, ok := strings.CutPrefix(name, "?"); ok {
		for _, p := range splitQuery(s.request.RawQuery) {
			if p.key() == parameter {
				compiled, err := compile(vary, text(p.text()))
				s.query[parameter] = compiled
				return wrap(name, err)
			}
		}
		return fmt.Errorf("%s: the request has no query parameter of that name", name)
	}
	if s.request.HasFields() {
		return s.varyField(name, vary)
	}
	at, node, err := s.resolve(name)
	if err != nil {
		return err
	}
	for _, u := range s.unique {
		if at.within(u) {
			return fmt.Errorf("%s: is a unique marker, or holds the key, which never varies", name)
		}
	}
	if node == nil && !s.couldHold(at) {
		return fmt.Errorf("%s: names nothing in the request body", name)
	}
	if node == nil && vary.Default == nil && !vary.Optional && vary.Type != TypeObject && vary.Type != TypeAny {
		return fmt.Errorf("%s: names nothing in the request body; say optional, default or type: object where it may be added", name)
	}
	compiled, err := compile(vary, node)
	if err != nil {
		return wrap(name, err)
	}
	s.body = append(s.body, varied{at, compiled})
	return nil
}

// couldHold tells whether a member could be added at a pointer.
func (s *Sample) couldHold(at Pointer) bool {
	if len(at) == 0 {
		return false
	}
	parent, ok := s.root.At(at[:len(at)-1])
	return ok && parent.Kind == Object
}

func parsePointers(list []string) ([]Pointer, error) {
	var out []Pointer
	for _, pointer := range list {
		at, err := ParsePointer(pointer)
		if err != nil {
			return nil, err
		}
		out = append(out, at)
	}
	return out, nil
}

func wrap(what string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", what, err)
}
