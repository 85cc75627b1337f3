package probe

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/theory/jsonpath"

	"github.com/oncespec/oncespec/scenarios/target/config"
	"github.com/oncespec/oncespec/scenarios/target/template"
	"github.com/oncespec/oncespec/scenarios/target/wire"
)

// Absent is the state of an operation that the target knows nothing of.
const Absent = "absent"

// Status reads the state of an operation with only what its caller already held. It may be used from several goroutines.
type Status struct {
	path      *template.Template
	state     *jsonpath.Path
	reference *jsonpath.Path // nil: none
	states    map[string]string
}

// State is one reading of a status resource.
type State struct {
	Name      string       // in_progress, succeeded, failed, unknown or absent; empty: refused, or no known word
	Word      string       // as the target spells it
	Reference string       // to the result: an id or a link; empty where there is none yet
	Answer    *wire.Answer // what was answered
}

// NewStatus makes a status probe.
func NewStatus(c *config.StatusProbe) (*Status, error) {
	s := &Status{states: map[string]string{}}
	var err error
	if s.path, err = template.ParseURL(c.Get); err != nil {
		return nil, fmt.Errorf("status.get %s: %w", c.Get, err)
	}
	if s.state, err = jsonpath.Parse(c.State); err != nil {
		return nil, fmt.Errorf("status.state %s: %w", c.State, err)
	}
	if s.reference, err = optional(c.Reference); err != nil {
		return nil, fmt.Errorf("status.reference: %w", err)
	}
	for name, words := range c.States {
		for _, word := range words {
			s.states[word] = name
		}
	}
	return s, nil
}

// Read reads the state. Any whole answer is a reading; one that says no known word is an error as well, which names it.
func (s *Status) Read(ctx context.Context, from Source, subject Subject) (State, error) {
	path, err := s.path.Expand(subject.Vars)
	if err != nil {
		return State{}, fmt.Errorf("status: %w", err)
	}
	if from.Client == nil {
		from.Client = standard
	}
	url := strings.TrimRight(from.Base, "/") + path
	answer, err := get(ctx, from, url, subject.Headers)
	if err != nil {
		return State{Answer: answer}, fmt.Errorf("status: %w", err)
	}
	out := State{Answer: answer}
	switch {
	case answer.Status == http.StatusNotFound || answer.Status == http.StatusGone:
		out.Name = Absent
		return out, nil
	case answer.Status >= 400 && answer.Status <= 499:
		return out, nil
	}
	doc, err := document(url, answer)
	if err != nil {
		return out, fmt.Errorf("status: %w", err)
	}
	if out.Word, err = s.word(doc); err != nil {
		return out, fmt.Errorf("status: GET %s: %w in %s", url, err, shown(answer.Body))
	}
	if s.reference != nil {
		if nodes := s.reference.Select(doc); len(nodes) == 1 {
			out.Reference, _ = scalar(nodes[0])
		}
	}
	out.Name = s.states[out.Word]
	if out.Name == "" {
		return out, fmt.Errorf("status: GET %s: found the state %q, expected one of %s", url, head(out.Word, 100), s.known())
	}
	return out, nil
}

func (s *Status) word(doc any) (string, error) {
	nodes := s.state.Select(doc)
	if len(nodes) != 1 {
		return "", fmt.Errorf("expected a state at %s, found nothing there", s.state)
	}
	if on, ok := nodes[0].(bool); ok {
		return strconv.FormatBool(on), nil
	}
	word, ok := scalar(nodes[0])
	if !ok {
		return "", fmt.Errorf("expected a word at %s, found %s", s.state, head(compact(nodes[0]), 100))
	}
	return word, nil
}

func (s *Status) known() string {
	words := make([]string, 0, len(s.states))
	for word := range s.states {
		words = append(words, word)
	}
	slices.Sort(words)
	return strings.Join(words, ", ")
}
