package contract

import (
	"slices"
	"time"
)

// Values of Action, in every Response and in InFlight. Allowed says which of them a parameter takes.
const (
	ActionRefuse      = "refuse"
	ActionExecute     = "execute"
	ActionReplay      = "replay"
	ActionIgnore      = "ignore"
	ActionAccept      = "accept"
	ActionIndependent = "independent"
	ActionWait        = "wait"
	ActionEither      = "either"
)

// Values of Key.Encoding and Key.Format.
const (
	EncodingStructured = "structured-field"
	EncodingOpaque     = "opaque"
	EncodingBoth       = "both"

	FormatAny     = "any"
	FormatUUID    = "uuid"
	FormatUUID4   = "uuid4"
	FormatPattern = "pattern"
)

// Values of Fingerprint.Mode.
const (
	ModeSemantic = "semantic"
	ModeRaw      = "raw"
	ModeNone     = "none"
)

// shortestLifetime is the least that a contract can declare: a shorter one would end while its first answer travels.
const shortestLifetime = time.Second

// defaultUnknownAnswers are the statuses of an intermediary that cannot say what became of a request.
var defaultUnknownAnswers = []int{502, 503, 504}

// choice is a parameter whose value is one word of a list.
type choice struct {
	path    string
	value   func(Contract) string
	allowed []string
}

var choices = []choice{
	{"key.encoding", func(c Contract) string { return c.Key.Encoding }, []string{EncodingStructured, EncodingOpaque, EncodingBoth}},
	{"key.format", func(c Contract) string { return c.Key.Format }, []string{FormatAny, FormatUUID, FormatUUID4, FormatPattern}},
	{"missing.action", func(c Contract) string { return c.Missing.Action }, []string{ActionRefuse, ActionExecute}},
	{"malformed.action", func(c Contract) string { return c.Malformed.Action }, []string{ActionRefuse, ActionIgnore, ActionAccept}},
	{"other_operation.action", func(c Contract) string { return c.OtherOperation.Action }, []string{ActionIndependent, ActionRefuse}},
	{"fingerprint.mode", func(c Contract) string { return c.Fingerprint.Mode }, []string{ModeSemantic, ModeRaw, ModeNone}},
	{"fingerprint.query", func(c Contract) string { return c.Fingerprint.Query }, []string{"counts", "ignored"}},
	{"fingerprint.absence", func(c Contract) string { return c.Fingerprint.Absence }, []string{"distinct", "equal"}},
	{"fingerprint.defaults", func(c Contract) string { return c.Fingerprint.Defaults }, []string{"distinct", "equal"}},
	{"fingerprint.unknown_fields", func(c Contract) string { return c.Fingerprint.Unknown }, []string{"counts", "ignored", "refused"}},
	{"fingerprint.normalisation", func(c Contract) string { return c.Fingerprint.Normalisation }, []string{"none", "nfc"}},
	{"mismatch.action", func(c Contract) string { return c.Mismatch.Action }, []string{ActionRefuse, ActionReplay, ActionExecute}},
	{"mismatch_in_flight", func(c Contract) string { return c.MismatchInFlight }, []string{"mismatch", "in-flight", "either"}},
	{"in_flight.action", func(c Contract) string { return c.InFlight.Action }, []string{ActionRefuse, ActionWait, ActionEither}},
	{"fidelity", func(c Contract) string { return string(c.Fidelity) }, []string{string(FidelityEffect), string(FidelityResource), string(FidelityBody), string(FidelityHeaders)}},
	{"marker.on_first", func(c Contract) string { return c.Marker.OnFirst }, []string{"absent", "false", "same"}},
	{"stored.4xx", func(c Contract) string { return c.Stored.ClientErrors }, []string{"yes", "no"}},
	{"stored.5xx", func(c Contract) string { return c.Stored.ServerErrors }, []string{"yes", "no"}},
	{"stored.validation", func(c Contract) string { return c.Stored.Validation }, []string{"yes", "no"}},
	{"failed_retry", func(c Contract) string { return c.FailedRetry }, []string{"replay", "execute", "resume"}},
	{"expired.action", func(c Contract) string { return c.Expired.Action }, []string{ActionExecute, ActionRefuse}},
	{"errors", func(c Contract) string { return c.Errors }, []string{"problem+json", "link", "either", "vendor"}},
}

var scopes = []string{string(Global), string(Account), string(Method), string(Route)}

// Allowed lists the words that the parameter at path (such as "mismatch.action") takes besides the empty one, which means
// unspecified. It is nil for a parameter that takes something else than a word of a list.
func Allowed(path string) []string {
	if path == "scope" {
		return slices.Clone(scopes)
	}
	for _, c := range choices {
		if c.path == path {
			return slices.Clone(c.allowed)
		}
	}
	return nil
}
