package mutants

import (
	"github.com/oncespec/oncespec/mockapi/flow"
	"github.com/oncespec/oncespec/mockapi/store"
)

// requestMutants leave out a part of a request, or count what changes with every attempt.
var requestMutants = []Mutant{
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
