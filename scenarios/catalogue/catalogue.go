package catalogue

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/oncespec/oncespec/scenarios/verdict"
)

// Need is something the target's configuration, or its behaviour in the steady state, has to offer.
type Need string

// The needs. Each is a word in histories and plans; Unlock says how to offer it.
const (
	NeedState     Need = "state"           // at least one effect probe
	NeedChange    Need = "change"          // a payload that differs in meaning and is accepted under a fresh key
	NeedTenants   Need = "tenants"         // two principals
	NeedRenewed   Need = "renewed"         // renewed credentials of one principal
	NeedSecond    Need = "second"          // another keyed operation in the configuration
	NeedGate      Need = "gate"            // the operation calls downstream through the gate
	NeedLifecycle Need = "lifecycle"       // the target can be killed and started again
	NeedPause     Need = "pause"           // the target can be frozen and go on where it was
	NeedStop      Need = "stop"            // the target can be asked to end
	NeedReplicas  Need = "replicas"        // two instances on the same state
	NeedDirect    Need = "direct"          // it is known what the target got of a request that it never answers
	NeedStoreLink Need = "store-link"      // the operation reaches its database by a link that the run can break at a moment of its choice
	NeedStoreCut  Need = "store-cut"       // the operation's database can be taken away from it, whatever it is doing
	NeedLifetime  Need = "lifetime"        // the contract says how long a key is remembered
	NeedClock     Need = "clock"           // the target's time can be moved beyond that, or it is short enough to be waited for
	NeedStatus    Need = "status"          // a status resource
	NeedInvalid   Need = "samples.invalid" // a payload that validation refuses
	NeedRefused   Need = "samples.refused" // a payload that the business refuses for good
	NeedCrash     Need = "samples.crash"   // a payload on which the handler breaks with a 5xx
	NeedAlter     Need = "alter"           // a request that changes the created resource
	NeedMarker    Need = "contract.marker"
	NeedNoBody    Need = "no-body"     // the operation answers 202 or 204, or without a body
	NeedLargeBody Need = "large-body"  // the operation answers with more than 1 MiB
	NeedKeyHeader Need = "key-header"  // the key travels in a header
	NeedKeyInPath Need = "key-in-path" // the identity is in the path
	NeedResource  Need = "resource"    // an effect that is a countable resource
	NeedJSON      Need = "json"        // the request body is JSON
)

// Needs returns every need in the order of the constants.
func Needs() []Need {
	return []Need{NeedState, NeedResource, NeedChange, NeedTenants, NeedRenewed, NeedSecond, NeedGate, NeedLifecycle, NeedPause, NeedStop, NeedReplicas, NeedDirect, NeedStoreLink, NeedStoreCut, NeedLifetime, NeedClock, NeedStatus,
		NeedInvalid, NeedRefused, NeedCrash, NeedAlter, NeedMarker, NeedNoBody, NeedLargeBody, NeedKeyHeader, NeedKeyInPath, NeedJSON}
}

// Source names where a clause comes from.
type Source string

// The sources.
const (
	PreventDuplicates Source = "preventing duplicate writes by agent retries"
	ToolKeys          Source = "idempotency keys for tool calls"
	MissingKey        Source = "the key the agent never sends"
	DuplicateCharges  Source = "duplicate charges and how to test for them"
	Draft             Source = "draft-ietf-httpapi-idempotency-key-header-07"
	RFC               Source = "RFC 9110, RFC 9457, RFC 9651"
	Field             Source = "public defect reports"
)

// Link is a piece of a source's words, and where it can be read; without an address, words in between.
type Link struct{ Text, URL string }

// published finds what has an address of its own.
var published = regexp.MustCompile(`RFC \d+|draft-[a-z0-9-]+|https?://\S+`)

// Links cuts the words of a source into those with an address and the rest.
func (s Source) Links() (links []Link) {
	text, from := string(s), 0
	for _, at := range published.FindAllStringIndex(text, -1) {
		if at[0] > from {
			links = append(links, Link{Text: text[from:at[0]]})
		}
		word := text[at[0]:at[1]]
		url := word
		if number, rfc := strings.CutPrefix(word, "RFC "); rfc {
			url = "https://www.rfc-editor.org/rfc/rfc" + number
		} else if strings.HasPrefix(word, "draft-") {
			url = "https://datatracker.ietf.org/doc/html/" + word
		}
		links, from = append(links, Link{word, url}), at[1]
	}
	if from < len(text) {
		links = append(links, Link{Text: text[from:]})
	}
	return links
}

// Requirement is one clause.
type Requirement struct {
	ID        string // "replay/one-effect"; the part before the slash is the pack
	Sentence  string // the clause, in the words of a specification
	Level     verdict.Level
	Parts     []Part   // judged one by one; empty: judged as a whole. Rewrites are parts that the rule names itself.
	Premises  []string // requirements that must not have failed on the same operation for this one to mean anything
	Needs     []Need
	Sources   []Source
	Scenarios []string // whose histories it is judged by; "*": all of the operation's
}

// Part of a requirement, with a level of its own (empty: the requirement's).
type Part struct {
	ID       string
	Sentence string
	Level    verdict.Level
	Needs    []Need // on top of the requirement's
}

// Pack is the first half of the id.
func (r Requirement) Pack() string { return r.ID[:strings.IndexByte(r.ID, '/')] }

var (
	all  = slices.Concat(keyRows, replayRows, conflictRows, raceRows, lostRows, failureRows, crashRows, downstreamRows, statusRows, fingerprintRows)
	byID = index(all)
)

func index(rows []Requirement) map[string]Requirement {
	m := make(map[string]Requirement, len(rows))
	for _, r := range rows {
		m[r.ID] = r
	}
	return m
}

// All returns every requirement, packs in reading order.
func All() []Requirement { return slices.Clone(all) }

// Find returns the requirement with the id.
func Find(id string) (Requirement, bool) {
	r, found := byID[id]
	return r, found
}

// Packs returns the names of the packs in reading order.
func Packs() []string {
	var packs []string
	for _, r := range all {
		if !slices.Contains(packs, r.Pack()) {
			packs = append(packs, r.Pack())
		}
	}
	return packs
}

// AnyOperation stands in a setting for the operation's name.
const AnyOperation = "operations.NAME."

// Unlock says what to add to the configuration to offer a need; empty when it is the target's nature and not a setting.
func Unlock(n Need) string {
	switch n {
	case NeedState, NeedResource:
		return AnyOperation + "effects"
	case NeedTenants:
		return "a second entry under target.tenants"
	case NeedRenewed:
		return "target.tenants.NAME.renewed"
	case NeedSecond:
		return "a second operation"
	case NeedGate:
		return "target.downstream"
	case NeedLifecycle:
		return "target.lifecycle (process, container or hooks)"
	case NeedPause:
		return "target.lifecycle.hooks.pause and resume"
	case NeedStop:
		return "target.lifecycle.hooks.stop"
	case NeedReplicas:
		return "target.replicas"
	case NeedStoreLink, NeedStoreCut:
		return "target.store"
	case NeedLifetime:
		return "contract.lifetime"
	case NeedClock:
		return "target.clock"
	case NeedStatus:
		return AnyOperation + "status"
	case NeedInvalid, NeedRefused, NeedCrash:
		return AnyOperation + string(n)
	case NeedAlter:
		return AnyOperation + "alter"
	case NeedMarker:
		return "contract.marker"
	case NeedChange:
		return AnyOperation + "vary"
	}
	return ""
}

// Marks in the detail of a verdict, mostly of what is not assessed, by which a report groups it: a stored verdict has its reason in words only.
const (
	Add           = ": add "           // before the setting that would offer the need
	Unused        = " is not used: "   // behind the setting that is there for it and that the target makes no use of
	PremiseFailed = "premise failed: " // before the requirement that does not hold
	// before a colon and the reason, where one is known
	NotRun    = "its scenario did not run"
	BrokenOff = "its scenario was broken off"
	// before the places of a request that no rewrite changed, in what passed too
	NotVaried = "never changed, since vary lists other places: "
)

// Reason says in words why an operation does not offer a need.
func Reason(n Need, operation string) string {
	if u := strings.Replace(Unlock(n), AnyOperation, "operations."+operation+".", 1); u != "" {
		return fmt.Sprintf("needs %s%s%s", n, Add, u)
	}
	switch n {
	case NeedNoBody:
		return "the operation does not answer without a body"
	case NeedLargeBody:
		return "the operation does not answer with more than 1 MiB"
	case NeedKeyHeader:
		return "the identity is in the path, not in a header"
	case NeedDirect:
		return "the requests are encrypted on their way through a Toxiproxy of somebody else's: nothing shows what of one that is never answered has reached the target"
	case NeedKeyInPath:
		return "the operation's identity is not in its path"
	case NeedJSON:
		return "the request body is not JSON"
	}
	return "needs " + string(n)
}
