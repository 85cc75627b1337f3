package mutants

import (
	"encoding/json"
	"slices"

	"github.com/oncespec/oncespec/mockapi/contract"
	"github.com/oncespec/oncespec/mockapi/flow"
)

// nestedMembers are what else goes wrong where they do not count.
var nestedMembers = []May{
	{"fingerprint/other-meaning", "other changes of nested members"},
	{"fingerprint/declared", "changes of nested members that the contract leaves open, but whose effects differ"},
}

// structureMutants read a body's structure, names and numbers in another way than the API does.
var structureMutants = []Mutant{
	{
		Name:      "fingerprint-raw-bytes",
		Defect:    "It compares bodies byte for byte: a retry that is spelt otherwise is refused.",
		Stage:     "Fingerprint",
		Operation: "create-ticket",
		Must:      []string{"fingerprint/same-meaning#order/top", "fingerprint/same-meaning#space/pretty"},
		May: []May{
			{"fingerprint/same-meaning", "every other spelling of the same meaning is refused"},
		},
		Install: func(f *flow.Flow) {
			f.Fingerprint = func(call *flow.Call) (string, error) {
				return flow.Digest(contract.Fingerprint{Mode: contract.ModeRaw}, call)
			}
		},
	},
	{
		Name:      "fingerprint-float64",
		Defect:    "It reads numbers as float64, so 2^53 and 2^53+1 are one number.",
		Stage:     "Fingerprint",
		Operation: "create-ticket",
		Must:      []string{"fingerprint/other-meaning#number/beyond-2^53"},
		May: []May{
			{"fingerprint/other-meaning", "other numbers that float64 does not tell apart"},
		},
		Install: func(f *flow.Flow) {
			f.Fingerprint = func(call *flow.Call) (string, error) {
				var value any
				if err := json.Unmarshal(call.JSON, &value); err != nil { // a number beyond float64
					return flow.Digest(f.Contract.Fingerprint, call)
				}
				return digestOf(f, call, text(value)) // as encoding/json writes it: -0 is not 0
			}
		},
	},
	{
		Name:      "fingerprint-stringify",
		Defect:    "It compares JSON.stringify of the parsed body: another order of members is another request, and 2^53+1 is 2^53.",
		Stage:     "Fingerprint",
		Operation: "create-ticket",
		Must:      []string{"fingerprint/same-meaning#order/top", "fingerprint/other-meaning#number/beyond-2^53"},
		May: []May{
			{"fingerprint/same-meaning", "every other change of the order of members is refused"},
			{"fingerprint/other-meaning", "other numbers that float64 does not tell apart"},
		},
		Install: func(f *flow.Flow) { f.Fingerprint = javascript(f, insertion, nil) },
	},
	{
		Name:      "fingerprint-replacer-array",
		Defect:    "It gives JSON.stringify the sorted top-level names as a list of what to keep, which drops all nested members of other names.",
		Stage:     "Fingerprint",
		Operation: "create-ticket",
		Must:      []string{"fingerprint/other-meaning#nested/leaf"},
		May:       nestedMembers,
		Install: func(f *flow.Flow) {
			f.Fingerprint = javascript(f, slices.Sort[[]string], func(top []string) []string { return top })
		},
	},
	{
		Name:      "fingerprint-sorts-recursively",
		Defect:    "It parses the body with JavaScript and sorts members recursively, so 2^53 and 2^53+1 are one number.",
		Stage:     "Fingerprint",
		Operation: "create-ticket",
		Must:      []string{"fingerprint/other-meaning#number/beyond-2^53"},
		May: []May{
			{"fingerprint/other-meaning", "other numbers that float64 does not tell apart"},
		},
		Install: func(f *flow.Flow) { f.Fingerprint = javascript(f, slices.Sort[[]string], nil) },
	},
	compares("fingerprint-struct", "It decodes the details into the fields that it knows, which drops all others.",
		[]string{"fingerprint/other-meaning#nested/depth-4"},
		func(value any) any {
			ticket, ok := value.(map[string]any)
			if !ok || ticket["details"] == nil {
				return value
			}
			var known struct {
				Source *struct {
					System *string      `json:"system,omitempty"`
					Page   *json.Number `json:"page,omitempty"`
				} `json:"source,omitempty"`
				Ratio *json.Number `json:"ratio,omitempty"`
				Note  *string      `json:"note,omitempty"`
			}
			if json.Unmarshal([]byte(text(ticket["details"])), &known) == nil {
				ticket["details"] = known
			}
			return value
		},
		May{"fingerprint/other-meaning", "other changes of fields that it does not know"},
		May{"fingerprint/declared", "changes of such fields that the contract leaves open, but whose effects differ"},
	),
	compares("fingerprint-forgets-a-field", "Its list of the fields that count was not kept up: one of the last, details.ratio, is not in it.",
		[]string{"fingerprint/other-meaning#nested/leaf"},
		func(value any) any {
			ticket, _ := value.(map[string]any)
			if details, ok := ticket["details"].(map[string]any); ok {
				delete(details, "ratio")
			}
			return value
		},
		May{"fingerprint/other-meaning", "other changes of that field"},
		May{"fingerprint/declared", "changes of that field that the contract leaves open, but whose effects differ"},
		May{"fingerprint/property", "random bodies that differ there"},
	),
	{
		Name:      "fingerprint-jcs",
		Defect:    "It compares the canonical form of RFC 8785, whose numbers are float64: 2^53 and 2^53+1 are one.",
		Stage:     "Fingerprint",
		Operation: "create-ticket",
		Must:      []string{"fingerprint/other-meaning#number/beyond-2^53"},
		May: []May{
			{"fingerprint/other-meaning", "other numbers that float64 does not tell apart"},
		},
		Install: func(f *flow.Flow) { f.Fingerprint = jcs(f) },
	},
	compares("fingerprint-top-level", "It sorts members with a list of the top-level names, which drops all nested members of other names.",
		[]string{"fingerprint/other-meaning#nested/leaf"},
		func(value any) any {
			top, _ := value.(map[string]any)
			return members(value, func(name string, _ any) bool { _, kept := top[name]; return kept })
		},
		nestedMembers...),
}
