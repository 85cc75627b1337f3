package fuzz

import (
	"time"

	"github.com/oncespec/oncespec/scenarios/fingerprint"
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/rewrite"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

// Schema names the version of the report.
const Schema = "oncespec.fuzz/v1"

// Report is what a search found.
type Report struct {
	Schema     string       `json:"schema"`
	Version    string       `json:"version"`
	Target     string       `json:"target"`
	URL        string       `json:"url"`
	Profile    string       `json:"profile"`
	Seed       uint64       `json:"seed"`
	Started    time.Time    `json:"started"`
	DurationMS int64        `json:"duration_ms"`
	Result     string       `json:"result"`            // the word that the exit code stands for
	Problem    string       `json:"problem,omitempty"` // what ended it early
	Operations []*Operation `json:"operations"`

	Interrupted   bool `json:"interrupted,omitempty"`
	Environmental bool `json:"-"` // with Problem: the environment's doing, not ours
}

// Operation is what was found on one operation.
type Operation struct {
	Name string `json:"name"`
	// Premise says why nothing can be told here: an identical retry is refused, or executed again.
	Premise    string     `json:"premise,omitempty"`
	Duplicates bool       `json:"duplicates,omitempty"` // with Premise: the identical retry is executed again
	Pairs      int        `json:"pairs"`                // that were tried with a known outcome
	Requests   int        `json:"requests"`             // writes that were sent; readings of the state are not counted
	Executions int        `json:"executions"`           // writes under fresh keys: objects that the search made
	Invalid    int        `json:"invalid,omitempty"`    // random bodies that the target refused; they are no pairs
	Undrawn    int        `json:"undrawn,omitempty"`    // random bodies that could not be drawn: nothing fits the schema
	Stopped    string     `json:"stopped,omitempty"`    // why the search ended before its cases or its time were up
	Rows       []Row      `json:"rows"`
	Findings   []*Finding `json:"findings"`
	Narrowed   []Narrowed `json:"narrowed,omitempty"`
	Undeclared []string   `json:"undeclared,omitempty"` // rewrites that no contract decides here: tried on the sample alone, since each costs a comparison of effects
	Strategies []Strategy `json:"strategies,omitempty"` // what the wrong rows have in common, the likeliest first
	Corpus     []Replayed `json:"corpus,omitempty"`
}

// Row is what became of one rewrite of the catalogue.
type Row struct {
	ID      string          `json:"id"`
	Class   rewrite.Class   `json:"class"`
	Verdict verdict.Outcome `json:"verdict"`
	Detail  string          `json:"detail,omitempty"`
}

// Finding is one pair that the target confuses, as small as it could be made.
type Finding struct {
	Operation string           `json:"operation"`
	Rewrite   string           `json:"rewrite"`
	Sentence  string           `json:"sentence"`
	Class     rewrite.Class    `json:"class"`
	Kind      fingerprint.Kind `json:"kind"`
	Warning   bool             `json:"warning,omitempty"` // general practice, not a standard
	Detail    string           `json:"detail"`
	Diff      []Difference     `json:"diff"` // where the bodies that were sent differ
	Trial     rewrite.Trial    `json:"trial"`
	From      string           `json:"from"`     // corpus, sweep, or search
	Requests  int              `json:"requests"` // sent until it was found and small
	Case      string           `json:"case,omitempty"`
	History   *history.History `json:"history"`
}

// Difference is one place where the bodies differ. An empty side: it is not there.
type Difference struct {
	At string `json:"at"` // a JSON Pointer; empty: the body as a whole
	A  string `json:"a,omitempty"`
	B  string `json:"b,omitempty"`
}

// Attempts are the first of each part in the procedure: A, B, A again, B and A under keys of their own; nil where it was not sent.
func (f *Finding) Attempts() (a, b, again, control, plain *history.Attempt) {
	h := f.History
	return h.First("first"), h.First("rewritten"), h.First("again"), h.First("control"), h.First("plain")
}

// Narrowed is a value that the search leaves alone, since the target refuses it; after a few of them, so is the place.
type Narrowed struct {
	At    string `json:"at"`
	Value string `json:"value"`
	Says  string `json:"says"`
}

// Replayed is what became of one case of the corpus.
type Replayed struct {
	File    string          `json:"file"`
	Rewrite string          `json:"rewrite"`
	Verdict verdict.Outcome `json:"verdict"`
	Detail  string          `json:"detail"`
}

// finding tells whether a rewrite was found wrong.
func (o *Operation) finding(id string) *Finding {
	for _, f := range o.Findings {
		if f.Rewrite == id {
			return f
		}
	}
	return nil
}
