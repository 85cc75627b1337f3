package mutants

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/oncespec/oncespec/mockapi/command"
	"github.com/oncespec/oncespec/mockapi/contract"
	"github.com/oncespec/oncespec/mockapi/fingerprint"
	"github.com/oncespec/oncespec/mockapi/flow"
	"github.com/oncespec/oncespec/mockapi/store"
)

var fingerprintMutants = []Mutant{
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
		May: []May{
			{"fingerprint/other-meaning", "other changes of nested members"},
			{"fingerprint/declared", "changes of nested members that the contract leaves open, but whose effects differ"},
		},
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
	{
		Name:      "fingerprint-struct",
		Defect:    "It decodes the details into the fields that it knows, which drops all others.",
		Stage:     "Fingerprint",
		Operation: "create-ticket",
		Must:      []string{"fingerprint/other-meaning#nested/depth-4"},
		May: []May{
			{"fingerprint/other-meaning", "other changes of fields that it does not know"},
			{"fingerprint/declared", "changes of such fields that the contract leaves open, but whose effects differ"},
		},
		Install: func(f *flow.Flow) {
			f.Fingerprint = changed(f, func(value any) any {
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
			})
		},
	},
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
	{
		Name:      "fingerprint-top-level",
		Defect:    "It sorts members with a list of the top-level names, which drops all nested members of other names.",
		Stage:     "Fingerprint",
		Operation: "create-ticket",
		Must:      []string{"fingerprint/other-meaning#nested/leaf"},
		May: []May{
			{"fingerprint/other-meaning", "other changes of nested members"},
			{"fingerprint/declared", "changes of nested members that the contract leaves open, but whose effects differ"},
		},
		Install: func(f *flow.Flow) {
			f.Fingerprint = changed(f, func(value any) any {
				top, _ := value.(map[string]any)
				return members(value, func(name string, _ any) bool { _, kept := top[name]; return kept })
			})
		},
	},
	{
		Name:      "fingerprint-without-query",
		Defect:    "The query does not count: a call with another query gets the stored answer.",
		Stage:     "Fingerprint",
		Operation: "create-ticket",
		Must:      []string{"fingerprint/other-meaning#query/value"},
		Install: func(f *flow.Flow) {
			declared := f.Contract.Fingerprint
			declared.Query = "ignored"
			declared.Exclude = append([]string{"/notify"}, declared.Exclude...) // the one parameter that is part of a command
			f.Fingerprint = func(call *flow.Call) (string, error) { return flow.Digest(declared, call) }
		},
	},
	{
		Name:      "fingerprint-sorts-arrays",
		Defect:    "It sorts arrays, so items in another order are the same request.",
		Stage:     "Fingerprint",
		Operation: "create-ticket",
		Must:      []string{"fingerprint/other-meaning#array/reordered"},
		May: []May{
			{"fingerprint/other-meaning", "other changes of the order of items"},
		},
		Install: func(f *flow.Flow) {
			f.Fingerprint = changed(f, func(value any) any {
				return walk(value, func(v any) any {
					if items, ok := v.([]any); ok {
						slices.SortFunc(items, func(a, b any) int { return cmp.Compare(text(a), text(b)) })
					}
					return v
				})
			})
		},
	},
	{
		Name:      "fingerprint-null-is-absent",
		Defect:    "It drops members that are null, although the API keeps them.",
		Stage:     "Fingerprint",
		Operation: "create-ticket",
		Must:      []string{"fingerprint/declared#absent/null-to-absent"},
		May: []May{
			{"fingerprint/property", "the random search may meet it too"},
		},
		Install: func(f *flow.Flow) {
			f.Fingerprint = changed(f, func(value any) any {
				return members(value, func(_ string, member any) bool { return member != nil })
			})
		},
	},
	{
		Name:      "fingerprint-drops-empty",
		Defect:    "It drops members that are zero, false or empty, like an encoder that omits empty values.",
		Stage:     "Fingerprint",
		Operation: "create-ticket",
		Must:      []string{"fingerprint/other-meaning#absent/zero-to-absent"},
		May: []May{
			{"fingerprint/other-meaning", "other changes between an empty value and another, or none"},
			{"fingerprint/declared", "an empty value and an absent one, whose effects differ"},
		},
		Install: func(f *flow.Flow) {
			f.Fingerprint = changed(f, func(value any) any {
				return members(value, func(_ string, member any) bool {
					return !slices.Contains([]string{`null`, `false`, `0`, `""`, `[]`, `{}`}, text(member))
				})
			})
		},
	},
	{
		Name:      "fingerprint-folds-case",
		Defect:    "It lower-cases the body first, so EUR and eur are the same request.",
		Stage:     "Fingerprint",
		Operation: "create-ticket",
		Must:      []string{"fingerprint/other-meaning#leaf/case"},
		Install: func(f *flow.Flow) {
			f.Fingerprint = changed(f, func(value any) any {
				return walk(value, func(v any) any {
					if s, ok := v.(string); ok {
						return strings.ToLower(s)
					}
					return v
				})
			})
		},
	},
	{
		Name:      "fingerprint-forgets-types",
		Defect:    "It compares values as text, so 1, \"1\" and [1] are the same.",
		Stage:     "Fingerprint",
		Operation: "create-ticket",
		Must:      []string{"fingerprint/other-meaning#type/number-to-string"},
		May: []May{
			{"fingerprint/other-meaning", "other changes of type"},
		},
		Install: func(f *flow.Flow) {
			f.Fingerprint = changed(f, func(value any) any {
				return walk(value, func(v any) any {
					switch v := v.(type) {
					case map[string]any:
						return v
					case []any:
						if len(v) == 1 {
							return v[0]
						}
						return v
					case json.Number:
						if exact, err := fingerprint.Number(v.String()); err == nil {
							return exact
						}
					}
					return fmt.Sprint(v)
				})
			})
		},
	},
	{
		Name:      "fingerprint-trims-text",
		Defect:    "It trims texts and folds their white space, so texts that differ only there are the same.",
		Stage:     "Fingerprint",
		Operation: "create-ticket",
		Must:      []string{"fingerprint/other-meaning#text/trailing-space"},
		May: []May{
			{"fingerprint/other-meaning", "other changes of white space"},
		},
		Install: func(f *flow.Flow) {
			f.Fingerprint = changed(f, func(value any) any {
				return walk(value, func(v any) any {
					if s, ok := v.(string); ok {
						return strings.Join(strings.Fields(s), " ")
					}
					return v
				})
			})
		},
	},
	{
		Name:      "fingerprint-needs-length",
		Defect:    "It leaves out bodies that come without Content-Length, so a chunked retry is refused.",
		Stage:     "Fingerprint",
		Operation: "create-ticket",
		Must:      []string{"fingerprint/same-meaning#framing/chunked-same"},
		Install: func(f *flow.Flow) {
			correct := f.Fingerprint
			f.Fingerprint = func(call *flow.Call) (string, error) {
				if call.HTTP.ContentLength < 0 {
					return digestOf(f, call, nil)
				}
				return correct(call)
			}
		},
	},
	{
		Name:      "fingerprint-first-piece",
		Defect:    "It digests the part of the body that came with the header: the retry of a request that dribbled in is refused.",
		Stage:     "Fingerprint",
		Operation: "create-ticket",
		Must:      []string{"lost/slow-request"},
		Install:   firstPiece,
	},
	{
		Name:      "fingerprint-by-kind",
		Defect:    "Its comparison was written for urgent tickets: of all others, labels and details do not count.",
		Stage:     "Fingerprint",
		Operation: "create-ticket",
		Must:      []string{"fingerprint/property"},
		Install: func(f *flow.Flow) {
			f.Fingerprint = changed(f, func(value any) any {
				if ticket, ok := value.(map[string]any); ok && ticket["priority"] != "high" {
					delete(ticket, "labels")
					delete(ticket, "details")
				}
				return value
			})
		},
	},
	{
		Name:      "fingerprint-counts-trace",
		Defect:    "Headers that change with every attempt count: a retry with its own trace is refused.",
		Stage:     "Fingerprint",
		Operation: "create-ticket",
		Must:      []string{"fingerprint/volatile#volatile/traceparent"},
		May: []May{
			{"fingerprint/volatile", "the other headers that change with every attempt"},
		},
		Install: func(f *flow.Flow) {
			declared := f.Contract.Fingerprint
			declared.Headers = append([]string{"Traceparent", "X-Request-Id", "User-Agent", "Date"}, declared.Headers...)
			f.Fingerprint = func(call *flow.Call) (string, error) { return flow.Digest(declared, call) }
		},
	},
	{
		Name:      "renewed-token-is-another",
		Defect:    "It keeps keys by token, so a retry with a renewed token of the same tenant executes again.",
		Stage:     "Identify",
		Operation: "create-ticket",
		Must:      []string{"fingerprint/volatile#auth/renewed"},
		Install: func(f *flow.Flow) {
			identify := f.Identify
			f.Identify = func(call *flow.Call) store.ID {
				id := identify(call)
				id.Scope += " " + call.Principal.Token
				return id
			}
		},
	},
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
