package contract_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-yaml/parser"
	"github.com/google/go-cmp/cmp"
	"github.com/oncespec/oncespec/mockapi/contract"
)

func TestEveryProfileLoadsAndSaysHowItIsSourced(t *testing.T) {
	t.Parallel()
	names := contract.Profiles()
	if diff := cmp.Diff([]string{"ietf-07", "stripe-v1"}, names); diff != "" {
		t.Errorf("profiles (-want +got):\n%s", diff)
	}
	for _, name := range names {
		c, err := contract.Profile(name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if c.Profile != name || c.Sourced == "" || c.Name == "" {
			t.Errorf("%s: profile %q, sourced %q, name %q: none may be empty, and the file is named like the profile", name, c.Profile, c.Sourced, c.Name)
		}
		if diff := cmp.Diff([]int{502, 503, 504}, c.UnknownAnswers); diff != "" {
			t.Errorf("%s: unknown answers (-want +got):\n%s", name, diff)
		}
	}
}

func TestProfileFacts(t *testing.T) {
	t.Parallel()
	ietf, stripe := must(contract.Profile("ietf-07")), must(contract.Profile("stripe-v1"))
	want := contract.Contract{
		Profile: "ietf-07", Sourced: "full text", Name: "Idempotency-Key",
		Key:              contract.Key{Encoding: contract.EncodingStructured, Format: contract.FormatAny},
		Missing:          contract.Response{Action: contract.ActionRefuse, Statuses: []int{400}},
		Scope:            []contract.Scope{},
		Mismatch:         contract.Response{Action: contract.ActionRefuse, Statuses: []int{422}},
		MismatchInFlight: "either",
		InFlight:         contract.InFlight{Action: contract.ActionEither, Statuses: []int{409}},
		Fidelity:         contract.FidelityBody,
		Errors:           "either",
		UnknownAnswers:   []int{502, 503, 504},
	}
	if diff := cmp.Diff(want, ietf); diff != "" {
		t.Errorf("ietf-07 (-want +got):\n%s", diff)
	}
	refusal := contract.Response{Action: contract.ActionRefuse, Statuses: []int{400}, Code: "idempotency_error"}
	want = contract.Contract{
		Profile: "stripe-v1", Sourced: "documentation and issues of client libraries", Name: "Idempotency-Key",
		Key:     contract.Key{Encoding: contract.EncodingOpaque, Format: contract.FormatAny, Max: 255},
		Missing: contract.Response{Action: contract.ActionExecute},
		Scope:   []contract.Scope{contract.Account}, OtherOperation: refusal,
		Fingerprint: contract.Fingerprint{Mode: contract.ModeSemantic},
		Mismatch:    refusal, MismatchInFlight: "either",
		InFlight:       contract.InFlight{Action: contract.ActionRefuse, Statuses: []int{409}, Code: "idempotency_key_in_use"},
		Fidelity:       contract.FidelityBody,
		Marker:         contract.Marker{Name: "Idempotent-Replayed", Value: "true", OnFirst: "absent"},
		Stored:         contract.Stored{ClientErrors: "yes", ServerErrors: "yes", Validation: "no"},
		FailedRetry:    "replay",
		Lifetime:       24 * time.Hour,
		Expired:        contract.Response{Action: "execute"},
		Errors:         "vendor",
		UnknownAnswers: []int{502, 503, 504},
	}
	if diff := cmp.Diff(want, stripe); diff != "" {
		t.Errorf("stripe-v1 (-want +got):\n%s", diff)
	}
}

func TestUnknownProfileNamesTheNearestAndAll(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, near string }{
		{"ietf-7", "ietf-07"},
		{"Stripe", "stripe-v1"},
		{"stripe-v2x", "stripe-v1"},
		{"something-else-entirely", ""},
		{"", ""},
		{"../contract", ""},
	} {
		_, err := contract.Profile(tc.name)
		var p *contract.Problem
		if !errors.As(err, &p) {
			t.Errorf("%q: expected a Problem, found %v", tc.name, err)
			continue
		}
		if p.Path != "profile" || p.Near != tc.near || !strings.Contains(err.Error(), "ietf-07, stripe-v1") {
			t.Errorf("%q: near %q, error %q", tc.name, p.Near, err)
		}
	}
}

func TestDecodeLaysTheBlockOverTheProfile(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, block string
		want        func(*contract.Contract)
	}{
		{"empty", "", func(*contract.Contract) {}},
		{"only the profile", "profile: ietf-07", func(*contract.Contract) {}},
		{"a field inside a parameter keeps its neighbours", "in_flight: {retry_after: true}", func(c *contract.Contract) { c.InFlight.RetryAfter = true }},
		{"a list replaces", "unknown_answers: [504]", func(c *contract.Contract) { c.UnknownAnswers = []int{504} }},
		{"an empty list replaces", "unknown_answers: []", func(c *contract.Contract) { c.UnknownAnswers = []int{} }},
		{"another action drops the inherited status", "missing: {action: execute}", func(c *contract.Contract) { c.Missing = contract.Response{Action: contract.ActionExecute} }},
		{"the same action keeps it", "missing: {action: refuse}", func(*contract.Contract) {}},
		{"another status", "mismatch: {statuses: [409, 422]}", func(c *contract.Contract) { c.Mismatch.Statuses = []int{409, 422} }},
		{"durations", "recovery: {within: 10s}", func(c *contract.Contract) { c.Recovery.Within = 10 * time.Second }},
		{"marker", "marker: {name: Idempotent-Replayed}", func(c *contract.Contract) { c.Marker.Name = "Idempotent-Replayed" }},
		{"a word back to unspecified", "errors: ''", func(c *contract.Contract) { c.Errors = "" }},
		{"scope", "scope: [account, route]", func(c *contract.Contract) { c.Scope = []contract.Scope{contract.Account, contract.Route} }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			want := must(contract.Profile("ietf-07"))
			tc.want(&want)
			got, err := decode(t, tc.block)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("contract (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(must(contract.Profile("ietf-07")), must(contract.Profile("ietf-07"))); diff != "" {
				t.Errorf("the profile itself changed:\n%s", diff)
			}
		})
	}
}

func TestDecodeRefuses(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, block, want string }{
		{"an unknown parameter", "life_time: 24h", "life_time"},
		{"a misspelt one", "mismtach: {action: refuse}", "mismtach"},
		{"an unknown field inside", "marker: {nam: X}", "nam"},
		{"a wrong type", "key: {max: many}", "max"},
		{"a duration without a unit", "recovery: {within: soon}", "soon"},
		{"an unknown profile", "profile: ietf7", `did you mean "ietf-07"`},
		{"a value", "mismatch: {action: refus}", `did you mean "refuse"`},
		{"a scalar where a block belongs", "just-text", ""},
		{"its own sourcing", "sourced: me", "sourced"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			_, err := decode(t, tc.block)
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("expected an error that names %q, found %v", tc.want, err)
			}
		})
	}
}

func decode(t *testing.T, block string) (contract.Contract, error) {
	t.Helper()
	file, err := parser.ParseBytes([]byte(block), 0)
	if err != nil {
		t.Fatal(err)
	}
	if len(file.Docs) == 0 {
		return contract.Decode(nil)
	}
	return contract.Decode(file.Docs[0].Body)
}

func must(c contract.Contract, err error) contract.Contract {
	if err != nil {
		panic(err)
	}
	return c
}

func TestAContractSurvivesItsPlan(t *testing.T) {
	t.Parallel()
	within, none := must(contract.Profile("ietf-07")), must(contract.Profile("ietf-07"))
	within.Recovery.Within = 10 * time.Second
	none.UnknownAnswers = []int{}
	for _, want := range []contract.Contract{{}, within, none, must(contract.Profile("stripe-v1"))} {
		text, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		var got contract.Contract
		if err := json.Unmarshal(text, &got); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
}

// FuzzDecode holds that whatever a block says, the result is a valid contract or an error.
func FuzzDecode(f *testing.F) {
	for _, seed := range []string{"profile: stripe-v1", "missing: {action: execute}", "recovery: {within: 10s}", "scope: [global]", "unknown_answers: []", "key: {format: pattern, pattern: '[a-z]+'}", "[]", "1", "marker: {name: X, on_first: same}"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, block string) {
		file, err := parser.ParseBytes([]byte(block), 0)
		if err != nil || len(file.Docs) == 0 {
			return
		}
		c, err := contract.Decode(file.Docs[0].Body)
		if err != nil {
			return
		}
		if err := c.Validate(); err != nil || c.Profile == "" {
			t.Fatalf("%q decoded to %+v, which is not valid: %v", block, c, err)
		}
	})
}
