package target

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/oncespec/oncespec/scenarios/rewrite"
	"github.com/oncespec/oncespec/scenarios/target/config"
	"github.com/oncespec/oncespec/scenarios/target/probe"
	"github.com/oncespec/oncespec/scenarios/target/template"
)

// preparedOperation is an operation of the configuration, parsed and ready to be used.
type preparedOperation struct {
	op      *config.Operation
	setup   []setupStep
	request *form
	alter   *form // nil: none
	samples map[string]*template.JSON
	unique  []string             // pointers whose value is made unique
	filled  []string             // pointers whose value a placeholder makes unique
	parent  []*template.Template // what of the setup's answers the operation uses
	probes  []*stateProbe
	status  *probe.Status // nil: none

	namesAnswer bool // something is filled in from the first answer
}

type setupStep struct {
	name string
	form *form
}

// prepareOperation parses an operation. Errors name the operation and the place in it.
func (t *Target) prepareOperation(op *config.Operation) (*preparedOperation, error) {
	k := &preparedOperation{op: op, samples: map[string]*template.JSON{}}
	if err := k.read(op); err != nil {
		return nil, &ConfigurationError{What: "operations." + op.Name, Err: err}
	}
	if err := t.readProbes(k); err != nil {
		return nil, &ConfigurationError{What: "operations." + op.Name, Err: err}
	}
	return k, nil
}

func (k *preparedOperation) read(op *config.Operation) (err error) {
	for _, step := range op.Setup {
		f, err := newForm(step.Request)
		if err != nil {
			return fmt.Errorf("setup %s: %w", step.Name, err)
		}
		k.setup = append(k.setup, setupStep{step.Name, f})
	}
	if k.request, err = newForm(op.Request); err != nil {
		return fmt.Errorf("request: %w", err)
	}
	if op.Alter != nil {
		if k.alter, err = newForm(*op.Alter); err != nil {
			return fmt.Errorf("alter: %w", err)
		}
	}
	for name, sample := range map[string]json.RawMessage{"invalid": op.Samples.Invalid, "refused": op.Samples.Refused, "crash": op.Samples.Crash} {
		if len(sample) == 0 {
			continue
		}
		if k.samples[name], err = template.ParseJSON(sample); err != nil {
			return fmt.Errorf("samples.%s: %w", name, err)
		}
	}
	for _, pointer := range op.Unique {
		if templated(op.Request.Body, pointer) {
			k.filled = append(k.filled, pointer)
		} else {
			k.unique = append(k.unique, pointer)
		}
	}
	k.namesAnswer = namesAnswer(op)
	return k.readParent(op)
}

// namesAnswer tells whether anything is filled in from the first answer. Answers may be large and intents many, so they are
// not kept without need.
func namesAnswer(op *config.Operation) bool {
	text, err := json.Marshal(op)
	return err != nil || bytes.Contains(text, []byte("{answer:"))
}

// readParent finds what identifies the parent: every value of a setup's answer that the operation's request names.
func (k *preparedOperation) readParent(op *config.Operation) error {
	seen := map[string]bool{}
	for _, p := range k.request.needs() {
		if p.Name != "setup" || seen[p.String()] {
			continue
		}
		seen[p.String()] = true
		value, err := template.Parse(p.String())
		if err != nil {
			return err
		}
		k.parent = append(k.parent, value)
	}
	return nil
}

// parentIDs are the values that name the intent's parent.
func (in *Intent) parentIDs() []string {
	var ids []string
	for _, value := range in.state.operation.parent {
		if id, err := value.Expand(in.state.vars); err == nil && id != "" {
			ids = append(ids, id)
		}
	}
	return ids
}

// sample is the intent's own request with what may change in it.
func (k *preparedOperation) sample(t *Target, request rewrite.Request) (*rewrite.Sample, error) {
	return rewrite.NewSample(request, rewrite.Policy{Unique: slices.Clone(k.op.Kept), Vary: k.op.Vary, Contract: t.cfg.Contract})
}
