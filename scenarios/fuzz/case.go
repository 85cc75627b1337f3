package fuzz

import (
	"errors"
	"fmt"
	"strings"

	"github.com/oncespec/oncespec/scenarios/fingerprint"
	"github.com/oncespec/oncespec/scenarios/jsonfile"
	"github.com/oncespec/oncespec/scenarios/rewrite"
)

// caseSchema names the version of a case.
const caseSchema = "oncespec.fuzzcase/v1"

// Bounds of a case.
const (
	mostChanges  = 1000
	longestField = 64 << 10
)

// Case is a pair that was found once, as a folder of cases keeps it: to be tried first from then on. It says how to make the pair
// out of the operation's request, not what was sent: keys and markers are fresh each time.
type Case struct {
	Schema    string           `json:"schema"`
	Operation string           `json:"operation"`
	Trial     rewrite.Trial    `json:"trial"`
	Kind      fingerprint.Kind `json:"kind"`   // what was found
	Detail    string           `json:"detail"` // in words
	Seed      uint64           `json:"seed"`   // of the search that found it

	File string `json:"-"`
}

// parseCase reads one case. Nothing unknown is passed over: a case that this version does not understand would be replayed as
// something else. The error is a *jsonfile.Error.
func parseCase(file string, text []byte) (Case, error) {
	c := Case{File: file}
	if err := jsonfile.Decode(file, text, caseSchema, &c); err != nil {
		return Case{}, err
	}
	var at *jsonfile.Misfit
	if err := c.check(); errors.As(err, &at) {
		return Case{}, jsonfile.At(file, text, at.Pointer, "%s", at.Detail)
	}
	return c, nil
}

// check finds what cannot be tried. The error is a *jsonfile.Misfit.
func (c Case) check() error {
	if c.Operation == "" {
		return jsonfile.Misfitf("/operation", "names no operation of the configuration")
	}
	if _, known := rewrite.Find(c.Trial.Rewrite); !known {
		return jsonfile.Misfitf("/trial/rewrite", "found %q, expected one of `oncespec list rewrites`", c.Trial.Rewrite)
	}
	if len(c.Trial.Changes) > mostChanges {
		return jsonfile.Misfitf("/trial/changes", "found %d changes, expected at most %d", len(c.Trial.Changes), mostChanges)
	}
	if err := checkPlace("/trial/site/at", c.Trial.Site.At); err != nil {
		return err
	}
	for i, change := range c.Trial.Changes {
		at := fmt.Sprintf("/trial/changes/%d", i)
		if len(change.Value) > longestField {
			return jsonfile.Misfitf(at+"/value", "found %d bytes, expected at most %d", len(change.Value), longestField)
		}
		if err := checkPlace(at+"/at", change.At); err != nil {
			return err
		}
	}
	return nil
}

// checkPlace wants a JSON Pointer or ?NAME.
func checkPlace(at, place string) error {
	if strings.HasPrefix(place, "?") {
		return nil
	}
	if _, err := rewrite.ParsePointer(place); err != nil {
		return jsonfile.Misfitf(at, "%v", err)
	}
	return nil
}
