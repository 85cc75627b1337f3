package rewrite

import (
	"slices"
	"strings"

	"github.com/oncespec/oncespec/mockapi/contract"
)

// Class says what B means compared with A, and so what has to happen when B is sent under A's key.
type Class string

// The first four are properties of a rewrite. ClassUnder resolves ByContract and knows all the others.
const (
	Same           Class = "same"             // by a standard: B replays
	SameByPractice Class = "same-by-practice" // nearly everybody reads it alike: B should replay, never executes
	ByContract     Class = "by-contract"      // a parameter of the contract decides
	Different      Class = "different"        // B is refused: a replay is false, an execution doubles the work

	NeverExecuted Class = "never-executed" // B replays or is refused
	NeverReplayed Class = "never-replayed" // B is refused or is an operation of its own
	Undeclared    Class = "undeclared"     // B never executes; it replays only where A and B, each under a fresh key, have equal effects
	Unclaimed     Class = "unclaimed"      // anything conforms; report what is seen
)

// Allowed says which outcomes of B under A's key conform. For SameByPractice a refusal is not listed: it is a warning. For
// Undeclared a replay is listed: it needs the comparison under fresh keys.
func (c Class) Allowed() (replayed, refused, executed bool) {
	switch c {
	case Same, SameByPractice:
		return true, false, false
	case Different:
		return false, true, false
	case NeverExecuted, Undeclared:
		return true, true, false
	case NeverReplayed:
		return false, true, true
	}
	return true, true, true
}

// Parameter is the parameter of a contract that decides a ByContract rewrite. The empty one: no parameter exists.
type Parameter string

// The parameters.
const (
	ByAbsence       Parameter = "fingerprint.absence"
	ByDefaults      Parameter = "fingerprint.defaults"
	ByUnknownFields Parameter = "fingerprint.unknown_fields"
	ByNormalisation Parameter = "fingerprint.normalisation"
	BySets          Parameter = "fingerprint.sets"
	ByExclude       Parameter = "fingerprint.exclude"
	ByHeaders       Parameter = "fingerprint.headers"
	ByQuery         Parameter = "fingerprint.query"
	ByKeyEncoding   Parameter = "key.encoding"
)

// ClassUnder resolves the rewrite's class under a contract; the result is never ByContract.
//
// A contract that compares raw bytes may refuse every other spelling of a body. One without fingerprint, or one that does
// not say it refuses a mismatch, may replay. Where nobody says that the query counts, another query may make another
// operation, but may not be answered with the first one's result. Executing a changed body is wrong under every contract.
func (r Rewrite) ClassUnder(c contract.Contract) Class {
	class := r.Class
	if class == ByContract {
		class = r.declared(c)
	}
	if (class == Same || class == SameByPractice) && r.Class != ByContract && r.listed(c) {
		class = Different
	}
	unchecked := c.Fingerprint.Mode == contract.ModeNone || mayReplay(c.Mismatch)
	switch {
	case class == Different && r.Part == Query:
		return queryClass(c, unchecked)
	case class == Different && unchecked:
		return NeverExecuted
	case class == Undeclared && unchecked:
		return NeverExecuted
	case (class == Same || class == SameByPractice) && r.Part == Body && c.Fingerprint.Mode == contract.ModeRaw:
		return NeverExecuted
	}
	return class
}

// listed tells whether the contract counts the header that the rewrite gives another value.
func (r Rewrite) listed(c contract.Contract) bool {
	return r.Part == Header && r.Header != "" && slices.ContainsFunc(c.Fingerprint.Headers, func(h string) bool { return strings.EqualFold(h, r.Header) })
}

// mayReplay tells whether a mismatch is declared to replay, or not declared at all.
func mayReplay(mismatch contract.Response) bool {
	return mismatch.Action == contract.ActionReplay || mismatch.Action == "" && len(mismatch.Statuses) == 0 && mismatch.Code == ""
}

func queryClass(c contract.Contract, unchecked bool) Class {
	switch {
	case c.Fingerprint.Query == "ignored":
		return Same
	case c.Fingerprint.Query == "" && unchecked:
		return Unclaimed
	case c.Fingerprint.Query == "":
		return NeverReplayed
	case unchecked:
		return NeverExecuted
	}
	return Different
}

// declared is what the contract says of a ByContract rewrite.
func (r Rewrite) declared(c contract.Contract) Class {
	f := c.Fingerprint
	switch r.Decides {
	case ByAbsence:
		return word(f.Absence, "equal", "distinct")
	case ByDefaults:
		return word(f.Defaults, "equal", "distinct")
	case ByNormalisation:
		return word(f.Normalisation, "nfc", "none")
	case ByUnknownFields:
		if len(f.Fields) > 0 {
			return NeverExecuted // it does not count, but may be refused as unknown before that
		}
		return word(f.Unknown, "ignored", "counts", "refused")
	case BySets:
		return given(f.Sets)
	case ByExclude:
		return given(slices.Concat(f.Exclude, f.Fields))
	case ByHeaders:
		if r.listed(c) {
			return Different
		}
		return given(f.Headers)
	case ByQuery:
		return map[string]Class{"ignored": Same, "counts": Undeclared, "": Unclaimed}[f.Query]
	case ByKeyEncoding:
		return map[string]Class{
			contract.EncodingBoth:       Same,
			contract.EncodingStructured: NeverExecuted, // the bare form may be refused as malformed
			contract.EncodingOpaque:     NeverReplayed, // the quotes belong to the key, so this is another one
			"":                          Unclaimed,
		}[c.Key.Encoding]
	}
	return Undeclared
}

func word(value, same string, different ...string) Class {
	switch {
	case value == same:
		return Same
	case slices.Contains(different, value):
		return Different
	}
	return Undeclared
}

func given(list []string) Class {
	if len(list) > 0 {
		return Same
	}
	return Undeclared
}
