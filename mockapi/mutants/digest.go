package mutants

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/oncespec/oncespec/mockapi/command"
	"github.com/oncespec/oncespec/mockapi/flow"
)

// compares is a mutant whose fingerprint is that of the command after a change to it.
func compares(name, defect string, must []string, change func(any) any, may ...May) Mutant {
	return Mutant{Name: name, Defect: defect, Stage: "Fingerprint", Operation: "create-ticket", Must: must, May: may,
		Install: func(f *flow.Flow) { f.Fingerprint = changed(f, change) }}
}

// beyondFloat refuses a number that float64 cannot hold.
func beyondFloat(err error) error {
	return &command.Refusal{Status: http.StatusBadRequest, Code: "malformed_body", Title: "The body has no canonical form", Detail: err.Error()}
}

// changed digests the command after a change to it. Numbers keep their exact value.
func changed(f *flow.Flow, change func(any) any) func(*flow.Call) (string, error) {
	return func(call *flow.Call) (string, error) {
		decoder := json.NewDecoder(bytes.NewReader(call.JSON))
		decoder.UseNumber()
		var value any
		if err := decoder.Decode(&value); err != nil {
			return "", err
		}
		return digestOf(f, call, change(value))
	}
}

// digestOf digests a call as if value were its command.
func digestOf(f *flow.Flow, call *flow.Call, value any) (string, error) {
	body, err := json.Marshal(value)
	if err != nil {
		return "", err
	}
	other := *call
	other.JSON, other.Input.Body = body, body
	return flow.Digest(f.Contract.Fingerprint, &other)
}

// walk replaces every value of a tree, those inside first.
func walk(value any, replace func(any) any) any {
	switch v := value.(type) {
	case map[string]any:
		for name, member := range v {
			v[name] = walk(member, replace)
		}
	case []any:
		for i, item := range v {
			v[i] = walk(item, replace)
		}
	}
	return replace(value)
}

// members leaves out the members that are not to be kept.
func members(value any, keep func(name string, member any) bool) any {
	return walk(value, func(v any) any {
		object, ok := v.(map[string]any)
		if !ok {
			return v
		}
		for name, member := range object {
			if !keep(name, member) {
				delete(object, name)
			}
		}
		return object
	})
}

func text(value any) string {
	written, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	return string(written)
}
