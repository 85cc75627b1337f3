package mockapi_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/oncespec/oncespec/mockapi"
	"github.com/oncespec/oncespec/mockapi/mutants"
	"github.com/oncespec/oncespec/mockapi/store"
	"github.com/oncespec/oncespec/mockapi/store/storetest"
)

// exchange is something to do with an API, and a short account of what came of it.
type exchange struct {
	correct string // the account of the correct server
	do      func(b *bench) string
}

// differs is where a mutant gives itself away: a part of its account of an exchange that is not in the correct one.
type differs struct{ exchange, part string }

// TestEveryMutantDiffers: each mutant gives itself away in one exchange, and the correct server is correct in it.
func TestEveryMutantDiffers(t *testing.T) {
	t.Parallel()
	maps.Copy(exchanges, lifeExchanges)
	maps.Copy(seenIn, seenInLife)
	for name, e := range exchanges {
		t.Run("correct/"+name, func(t *testing.T) {
			t.Parallel()
			if got := e.do(mutantBench(t, name, "")); got != e.correct {
				t.Errorf("got  %s\nwant %s", got, e.correct)
			}
		})
	}
	all := append(mutants.List(), mutants.OnPostgres()...)
	for _, m := range all {
		t.Run(m.Name, func(t *testing.T) {
			t.Parallel()
			want, known := seenIn[m.Name]
			if !known {
				t.Fatal("no exchange shows this mutant; add one to seenIn")
			}
			e := exchanges[want.exchange]
			got, correct := e.do(mutantBench(t, want.exchange, m.Name)), e.correct
			if !strings.Contains(got, want.part) || strings.Contains(correct, want.part) {
				t.Errorf("%s\ngot     %s\nwant    %s\ncorrect %s", want.exchange, got, want.part, correct)
			}
		})
	}
	if len(seenIn) != len(all) {
		t.Errorf("%d exchanges for %d mutants", len(seenIn), len(all))
	}
}

// mutantBench has a store that a restart finds again, so that what a mutant keeps elsewhere is lost in one.
func mutantBench(t *testing.T, exchange, name string) *bench {
	reopen := func(kept store.Store) func() store.Store { return func() store.Store { return kept } }(&store.Memory{})
	if m, err := mutants.Find(name); err == nil && m.Postgres {
		schema := storetest.Schema(t)
		reopen = func() store.Store { return openStore(t, schema) }
	}
	var link *storetest.Link
	if slices.Contains(byLink, exchange) {
		link = storetest.NewLink(t, storetest.Schema(t))
		reopen = func() store.Store { return openStore(t, link.Location) }
	}
	options := mockapi.Options{Mutant: name}
	if change := exchangeOptions[exchange]; change != nil {
		change(t, &options)
	}
	b := newBench(t, options, reopen)
	b.link = link
	return b
}

// seenIn says of each mutant where it gives itself away.
var seenIn = map[string]differs{
	"no-idempotency":                 {"two retries", "tickets 3"},
	"dedupe-by-payload":              {"equal payloads", "tickets 1"},
	"key-not-required":               {"keys", "none 201"},
	"key-truncated":                  {"keys", "long 201 longer 201 replay"},
	"key-too-long-for-its-column":    {"long keys", "200 500"},
	"key-folds-case":                 {"keys", "lower 201 upper 201 replay"},
	"key-sent-twice-executes-twice":  {"keys", "twice 201"},
	"key-malformed-500":              {"keys", "bare 500"},
	"key-quotes-count":               {"keys", "bare 201"},
	"key-needs-hyphen":               {"keys", "letters 400"},
	"key-on-get-refused":             {"keys", "on GET 400"},
	"scope-global":                   {"strangers with the key", "globex 201 replay"},
	"in-flight-for-anybody":          {"strangers with the key together", "each has its ticket false"},
	"scope-without-route":            {"strangers with the key", "other route 201 replay"},
	"label-counts-repeats":           {"label", "changes 2"},
	"check-then-insert":              {"duplicates together", "one ticket false"},
	"claim-after-effect":             {"duplicate in flight", "duplicate 201"},
	"loser-gets-winners-result":      {"rivals together", "both true"},
	"per-worker-lock":                {"duplicate in flight", "tickets 2 0"},
	"loser-gets-500":                 {"duplicates together", "5xx true"},
	"in-flight-executes":             {"duplicate in flight", "duplicate 201"},
	"in-flight-says-success":         {"duplicate in flight", "duplicate 202"},
	"no-retry-after":                 {"duplicate in flight", "come back false"},
	"in-flight-for-ever":             {"duplicate in flight", "retry 409"},
	"requests-collapse":              {"strangers together", "each has its ticket false"},
	"replay-answers-200":             {"two retries", "200 replay"},
	"fingerprint-lost-on-completion": {"two retries", "201 | 422"},
	"replay-breaks":                  {"two retries", "500"},
	"replay-without-location":        {"two retries", "Location false"},
	"replay-with-new-id":             {"two retries", "same body false false"},
	"replay-second-differs":          {"two retries", "same body true false"},
	"replay-gives-current-state":     {"resource changed", "state closed"},
	"replay-unmarked":                {"two retries", "201 | 201 | 201"},
	"first-marked-as-replay":         {"two retries", "201 replay | 201 replay | 201 replay"},
	"replay-for-anybody":             {"strangers with the key", "nobody 201 replay"},
	"replay-books-again":             {"two retries", "bookings 3"},
	"replay-calls-downstream":        {"two retries", "calls 3"},
	"replay-moves-balance":           {"payment", "balance 96002"},
	"large-answer-not-stored":        {"close and export", "exports 2"},
	"large-answer-cut":               {"close and export", "whole false"},
	"no-content-not-replayed":        {"close and export", "409"},
	"mismatch-replays":               {"changed payload", "201 replay | 201 replay"},
	"mismatch-executes":              {"changed payload", "tickets 1 3"},
	"mismatch-executes-in-flight":    {"duplicate in flight", "changed 201"},
	"mismatch-overwrites":            {"changed payload", "original 422"},
	"mismatch-second-time-replays":   {"changed payload", "422 | 201 replay"},
	"mismatch-gets-500":              {"changed payload", "500"},
	"conflict-discloses":             {"changed payload", "tells true"},
	"conflict-unexplained":           {"changed payload", "explained false"},
	"failed-first-resumed":           {"transient failure", "changed 201"},
	"fingerprint-raw-bytes":          {"fingerprint", "order no"},
	"fingerprint-float64":            {"fingerprint", "2^53 replay"},
	"fingerprint-stringify":          {"fingerprint", "order no"},
	"fingerprint-replacer-array":     {"fingerprint", "nested replay"},
	"fingerprint-sorts-recursively":  {"fingerprint", "2^53 replay"},
	"fingerprint-struct":             {"fingerprint", "unknown replay"},
	"fingerprint-forgets-a-field":    {"fingerprint", "ratio replay"},
	"fingerprint-jcs":                {"fingerprint", "2^53 replay"},
	"fingerprint-top-level":          {"fingerprint", "nested replay"},
	"fingerprint-without-query":      {"fingerprint", "query replay"},
	"fingerprint-sorts-arrays":       {"fingerprint", "array replay"},
	"fingerprint-null-is-absent":     {"fingerprint", "null replay"},
	"fingerprint-drops-empty":        {"fingerprint", "empty replay"},
	"fingerprint-folds-case":         {"fingerprint", "case replay"},
	"fingerprint-forgets-types":      {"fingerprint", "type replay"},
	"fingerprint-trims-text":         {"fingerprint", "space replay"},
	"fingerprint-needs-length":       {"fingerprint", "chunked no"},
	"fingerprint-counts-trace":       {"fingerprint", "trace no"},
	"fingerprint-first-piece":        {"request in pieces", "422"},
	"fingerprint-by-kind":            {"fingerprint", "nested replay"},
	"renewed-token-is-another":       {"strangers with the key", "renewed token 201,"},
	"hang-up-releases-claim":         {"client gone", "during 201"},
	"hang-up-stops-work":             {"client gone", "after 409"},
	"hang-up-books-again":            {"client gone", "bookings 2"},
	"record-waits-for-the-client":    {"answer not read", "tickets 2"},
	"half-request-executes":          {"half a request", "tickets 1"},
	"5xx-stored":                     {"transient failure", "503 replay"},
	"refusal-not-stored":             {"refused for good", "403 | 403 |"},
	"refusal-loses-status":           {"refused for good", "400 replay"},
	"invalid-payload-consumes-key":   {"invalid payload", "corrected 422"},
	"5xx-leaks-claim":                {"transient failure", "409"},
	"panic-leaks-claim":              {"broken handler", "500 409"},
	"failure-taken-for-success":      {"transient failure", "bookings 0"},
	"unknown-executes-again":         {"unknown outcome", "| 201;"},
	"unknown-for-ever":               {"unknown outcome", "504, unknown | 504"},
	"unknown-told-as-failed":         {"unknown outcome", "402, failed"},
	"downstream-key-per-attempt":     {"transient failure", "one key false"},
	"downstream-key-by-payload":      {"equal payloads", "bookings 1"},
	"records-in-memory":              {"restart", "tickets 2"},
	"record-after-answer":            {"killed with its answer not read", "tickets 2"},
	"recovery-does-it-too":           {"killed before the booking", "tickets 2"},
	"restart-executes-blindly":       {"killed after the booking", "bookings 2"},
	"never-recovered":                {"killed after the booking", "409"},
	"recovery-assumes-done":          {"killed before the booking", "201 replay"},
	"effect-before-record":           {"killed after the booking", "tickets 2"},
	"status-for-anybody":             {"strangers with the key", "status 200"},
	"status-unknown-reads-failed":    {"unknown outcome", "failed"},
	"status-only-when-done":          {"duplicate in flight", "Not Found"},
	"status-never-final":             {"status", "in_progress in_progress"},
	"status-without-result":          {"status", "result false"},
	"status-changes-back":            {"status", "succeeded in_progress"},
	"status-not-by-key":              {"status", "Not Found Not Found"},
}
