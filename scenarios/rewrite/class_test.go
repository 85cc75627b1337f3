package rewrite

import (
	"testing"

	"github.com/oncespec/oncespec/mockapi/contract"
)

func TestAContractDecidesTheClass(t *testing.T) {
	t.Parallel()
	refuse := contract.Response{Action: contract.ActionRefuse}
	with := func(f contract.Fingerprint) contract.Contract {
		return contract.Contract{Fingerprint: f, Mismatch: refuse}
	}
	encoding := func(e string) contract.Contract {
		return contract.Contract{Key: contract.Key{Encoding: e}, Mismatch: refuse}
	}
	silent := contract.Contract{}
	plain := with(contract.Fingerprint{})
	semantic := with(contract.Fingerprint{Mode: contract.ModeSemantic})
	raw := with(contract.Fingerprint{Mode: contract.ModeRaw})
	none := with(contract.Fingerprint{Mode: contract.ModeNone})
	replays := contract.Contract{Mismatch: contract.Response{Action: contract.ActionReplay}}
	executes := contract.Contract{Mismatch: contract.Response{Action: contract.ActionExecute}}
	byStatus := contract.Contract{Mismatch: contract.Response{Statuses: []int{422}}}

	for _, test := range []struct {
		id   string
		c    contract.Contract
		want Class
	}{
		// Spellings of one meaning replay; compared as bytes they may be refused. What is outside the body is not compared as
		// bytes.
		{"order/top", plain, Same},
		{"order/top", semantic, Same},
		{"order/top", none, Same},
		{"order/top", silent, Same},
		{"order/top", raw, NeverExecuted},
		{"number/trailing-zero", semantic, SameByPractice},
		{"number/trailing-zero", raw, NeverExecuted},
		{"encoding/gzip", raw, NeverExecuted},
		{"framing/chunked-same", raw, Same},
		{"header/name-case", raw, Same},
		{"content-type/charset", raw, SameByPractice},
		{"query/percent-case", raw, Same},

		// Another meaning is refused, unless the contract makes no such promise. Executing it is wrong under every contract.
		{"leaf/amount", plain, Different},
		{"leaf/amount", byStatus, Different},
		{"leaf/amount", raw, Different},
		{"leaf/amount", executes, Different},
		{"leaf/amount", replays, NeverExecuted},
		{"leaf/amount", none, NeverExecuted},
		{"leaf/amount", silent, NeverExecuted},

		// Another query is another payload, or another operation, as declared.
		{"query/value", plain, NeverReplayed},
		{"query/value", with(contract.Fingerprint{Query: "counts"}), Different},
		{"query/value", with(contract.Fingerprint{Query: "ignored"}), Same},
		{"query/value", none, Unclaimed},
		{"query/value", with(contract.Fingerprint{Mode: contract.ModeNone, Query: "counts"}), NeverExecuted},
		{"query/bare-mark", plain, Unclaimed},
		{"query/bare-mark", with(contract.Fingerprint{Query: "counts"}), Undeclared},
		{"query/bare-mark", with(contract.Fingerprint{Query: "ignored"}), Same},

		// Parameters of the fingerprint.
		{"absent/null-to-absent", plain, Undeclared},
		{"absent/null-to-absent", with(contract.Fingerprint{Absence: "equal"}), Same},
		{"absent/null-to-absent", with(contract.Fingerprint{Absence: "equal", Mode: contract.ModeRaw}), NeverExecuted},
		{"absent/null-to-absent", with(contract.Fingerprint{Absence: "distinct"}), Different},
		{"absent/empty-string", with(contract.Fingerprint{Absence: "equal"}), Undeclared},
		{"absent/null-to-absent", none, NeverExecuted},
		{"absent/null-to-absent", replays, NeverExecuted},
		{"absent/default-filled", with(contract.Fingerprint{Defaults: "equal"}), Same},
		{"absent/default-filled", with(contract.Fingerprint{Defaults: "distinct"}), Different},
		{"unknown/added", with(contract.Fingerprint{Unknown: "ignored"}), Same},
		{"unknown/added", with(contract.Fingerprint{Unknown: "counts"}), Different},
		{"unknown/changed", with(contract.Fingerprint{Unknown: "refused"}), Different},
		{"unknown/added", plain, Undeclared},
		{"unicode/nfd-value", with(contract.Fingerprint{Normalisation: "nfc"}), Same},
		{"unicode/nfd-value", with(contract.Fingerprint{Normalisation: "none"}), Different},
		{"array/declared-set", with(contract.Fingerprint{Sets: []string{"/tags"}}), Same},
		{"volatile/body-field", with(contract.Fingerprint{Exclude: []string{"/id"}}), Same},
		{"duplicate/first", semantic, Undeclared},
		{"number/negative-zero", semantic, Undeclared},

		// Headers count only where they are listed.
		{"volatile/user-agent", plain, Same},
		{"volatile/user-agent", with(contract.Fingerprint{Headers: []string{"user-agent"}}), Different},
		{"volatile/date", with(contract.Fingerprint{Headers: []string{"user-agent"}}), Same},
		{"auth/renewed", with(contract.Fingerprint{Headers: []string{"user-agent"}}), Same},
		{"header/accept", plain, Undeclared},
		{"header/accept", with(contract.Fingerprint{Headers: []string{"ACCEPT"}}), Different},
		{"header/accept", with(contract.Fingerprint{Headers: []string{"X-Version"}}), Same},

		// Quotes are part of the key, or of its syntax.
		{"key/quoted", encoding(""), Unclaimed},
		{"key/quoted", encoding(contract.EncodingBoth), Same},
		{"key/quoted", encoding(contract.EncodingStructured), NeverExecuted},
		{"key/quoted", encoding(contract.EncodingOpaque), NeverReplayed},
	} {
		r, ok := Find(test.id)
		if !ok {
			t.Fatalf("no rewrite %s", test.id)
		}
		if got := r.ClassUnder(test.c); got != test.want {
			t.Errorf("%s under %+v with mismatch %+v, encoding %q: %s, want %s", test.id, test.c.Fingerprint, test.c.Mismatch, test.c.Key.Encoding, got, test.want)
		}
	}
}

func TestAClassSaysWhichOutcomesConform(t *testing.T) {
	t.Parallel()
	for class, want := range map[Class][3]bool{
		Same:           {true, false, false},
		SameByPractice: {true, false, false},
		Different:      {false, true, false},
		NeverExecuted:  {true, true, false},
		Undeclared:     {true, true, false},
		NeverReplayed:  {false, true, true},
		Unclaimed:      {true, true, true},
	} {
		replayed, refused, executed := class.Allowed()
		if got := [3]bool{replayed, refused, executed}; got != want {
			t.Errorf("%s allows replayed, refused, executed: %v, want %v", class, got, want)
		}
	}
	for _, mode := range []string{"", contract.ModeSemantic, contract.ModeRaw, contract.ModeNone} {
		for _, r := range Catalogue() {
			if r.ClassUnder(contract.Contract{Fingerprint: contract.Fingerprint{Mode: mode}}) == ByContract {
				t.Errorf("%s: mode %q did not decide", r.ID, mode)
			}
		}
	}
}
