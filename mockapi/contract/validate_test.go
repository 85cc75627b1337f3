package contract_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/oncespec/oncespec/mockapi/contract"
)

func TestValidateAcceptsUnspecified(t *testing.T) {
	t.Parallel()
	if err := (contract.Contract{Name: "Idempotency-Key"}).Validate(); err != nil {
		t.Error(err)
	}
}

func TestValidateNamesTheParameter(t *testing.T) {
	t.Parallel()
	type c = contract.Contract
	for _, tc := range []struct {
		path, near string
		change     func(*c)
	}{
		{"name", "", func(c *c) { c.Name = "" }},
		{"name", "", func(c *c) { c.Name = "Idempotency Key" }},
		{"key.encoding", "opaque", func(c *c) { c.Key.Encoding = "opague" }},
		{"key.format", "uuid4", func(c *c) { c.Key.Format = "uuidv4" }},
		{"key.min", "", func(c *c) { c.Key.Min = -1 }},
		{"key.max", "", func(c *c) { c.Key.Max = -1 }},
		{"key.min", "", func(c *c) { c.Key.Min, c.Key.Max = 9, 8 }},
		{"key.min", "", func(c *c) { c.Key.Format, c.Key.Min = "uuid", 40 }},
		{"key.max", "", func(c *c) { c.Key.Format, c.Key.Max = "uuid4", 20 }},
		{"key.pattern", "", func(c *c) { c.Key.Pattern = "[a-z]+" }},
		{"key.pattern", "", func(c *c) { c.Key.Format = "pattern" }},
		{"key.pattern", "", func(c *c) { c.Key.Format, c.Key.Pattern = "pattern", "(" }},
		{"key.pattern", "", func(c *c) { c.Key.Format, c.Key.Pattern = "pattern", "[a-z]{900}" }},
		{"key.pattern", "", func(c *c) { c.Key.Format, c.Key.Pattern, c.Key.Max = "pattern", "[a-z]{40}", 20 }},
		{"key.max", "", func(c *c) { c.Key.Max = 1 << 30 }},
		{"key.min", "", func(c *c) { c.Key.Min = 1 << 30 }},
		{"missing.action", "execute", func(c *c) { c.Missing.Action = "exceute" }},
		{"missing.action", "", func(c *c) { c.Missing.Action = "ignore" }},
		{"missing.statuses[1]", "", func(c *c) { c.Missing.Statuses = []int{400, 200} }},
		{"missing.statuses", "", func(c *c) { c.Missing.Action, c.Missing.Statuses = "execute", []int{400} }},
		{"missing.code", "", func(c *c) { c.Missing.Action, c.Missing.Code = "execute", "missing" }},
		{"malformed.action", "ignore", func(c *c) { c.Malformed.Action = "ignored" }},
		{"other_operation.action", "independent", func(c *c) { c.OtherOperation.Action = "independant" }},
		{"fingerprint.mode", "semantic", func(c *c) { c.Fingerprint.Mode = "semantics" }},
		{"fingerprint.query", "ignored", func(c *c) { c.Fingerprint.Query = "ignore" }},
		{"fingerprint.absence", "", func(c *c) { c.Fingerprint.Absence = "x" }},
		{"fingerprint.defaults", "", func(c *c) { c.Fingerprint.Defaults = "x" }},
		{"fingerprint.unknown_fields", "refused", func(c *c) { c.Fingerprint.Unknown = "refuse" }},
		{"fingerprint.normalisation", "nfc", func(c *c) { c.Fingerprint.Normalisation = "NFC" }},
		{"fingerprint.exclude[0]", "", func(c *c) { c.Fingerprint.Exclude = []string{"id"} }},
		{"fingerprint.sets[0]", "", func(c *c) { c.Fingerprint.Sets = []string{"/a~2"} }},
		{"fingerprint.headers[0]", "", func(c *c) { c.Fingerprint.Headers = []string{"a b"} }},
		{"fingerprint.exclude", "", func(c *c) { c.Fingerprint.Mode, c.Fingerprint.Exclude = "raw", []string{"/id"} }},
		{"fingerprint.sets", "", func(c *c) { c.Fingerprint.Mode, c.Fingerprint.Sets = "none", []string{"/tags"} }},
		{"scope[0]", "account", func(c *c) { c.Scope = []contract.Scope{"acount"} }},
		{"scope[1]", "", func(c *c) { c.Scope = []contract.Scope{contract.Route, contract.Route} }},
		{"scope[0]", "", func(c *c) { c.Scope = []contract.Scope{contract.Global, contract.Route} }},
		{"mismatch.action", "refuse", func(c *c) { c.Mismatch.Action = "refused" }},
		{"mismatch_in_flight", "mismatch", func(c *c) { c.MismatchInFlight = "mismatched" }},
		{"in_flight.action", "wait", func(c *c) { c.InFlight.Action = "waits" }},
		{"in_flight.statuses[0]", "", func(c *c) { c.InFlight.Statuses = []int{202} }},
		{"fidelity", "status+body", func(c *c) { c.Fidelity = "status+bodies" }},
		{"volatile[0]", "", func(c *c) { c.Volatile = []string{"$.at"} }},
		{"marker.name", "", func(c *c) { c.Marker.Name = "a b" }},
		{"marker.value", "", func(c *c) { c.Marker.Value = "true" }},
		{"marker.on_first", "", func(c *c) { c.Marker.OnFirst = "same" }},
		{"marker.on_first", "absent", func(c *c) { c.Marker.Name, c.Marker.OnFirst = "X", "abscent" }},
		{"stored.4xx", "yes", func(c *c) { c.Stored.ClientErrors = "yess" }},
		{"stored.5xx", "", func(c *c) { c.Stored.ServerErrors = "sometimes" }},
		{"stored.validation", "", func(c *c) { c.Stored.Validation = "maybe" }},
		{"failed_retry", "resume", func(c *c) { c.FailedRetry = "resumes" }},
		{"errors", "problem+json", func(c *c) { c.Errors = "problem-json" }},
		{"unknown_answers[0]", "", func(c *c) { c.UnknownAnswers = []int{200} }},
		{"lifetime", "", func(c *c) { c.Lifetime = -time.Hour }},
		{"lifetime", "", func(c *c) { c.Lifetime = time.Millisecond }},
		{"expired.action", "execute", func(c *c) { c.Lifetime, c.Expired.Action = time.Hour, "exceute" }},
		{"expired.action", "", func(c *c) { c.Expired.Action = "refuse" }},
		{"expired.code", "", func(c *c) { c.Lifetime, c.Expired.Action, c.Expired.Code = time.Hour, "execute", "gone" }},
		{"expired.statuses[0]", "", func(c *c) { c.Lifetime, c.Expired.Statuses = time.Hour, []int{201} }},
		{"recovery.within", "", func(c *c) { c.Recovery.Within = -time.Second }},
	} {
		t.Run(tc.path, func(t *testing.T) {
			t.Parallel()
			changed := c{Name: "Idempotency-Key"}
			tc.change(&changed)
			err := changed.Validate()
			var p *contract.Problem
			if !errors.As(err, &p) {
				t.Fatalf("expected a problem, found %v", err)
			}
			if p.Path != tc.path || p.Near != tc.near {
				t.Errorf("expected path %s near %q, found %+v", tc.path, tc.near, p)
			}
			if !strings.Contains(err.Error(), tc.path) || p.Expected == "" {
				t.Errorf("the error must name path and expectation: %v", err)
			}
		})
	}
}

func TestValidateReportsEveryProblem(t *testing.T) {
	t.Parallel()
	err := contract.Contract{Name: "K", Errors: "x", FailedRetry: "y"}.Validate()
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok || len(joined.Unwrap()) != 2 {
		t.Errorf("expected two problems, found %v", err)
	}
}

func TestAllowedListsTheWordsOfAParameter(t *testing.T) {
	t.Parallel()
	if got := strings.Join(contract.Allowed("mismatch.action"), " "); got != "refuse replay execute" {
		t.Errorf("mismatch.action: %s", got)
	}
	if got := strings.Join(contract.Allowed("scope"), " "); got != "global account method route" {
		t.Errorf("scope: %s", got)
	}
	if got := contract.Allowed("name"); got != nil {
		t.Errorf("name: %v", got)
	}
}
