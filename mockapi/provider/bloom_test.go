package provider

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// A filter rules out only what is not there: otherwise a booking would go uncounted.
func TestASketchNeverMissesWhatACallCarries(t *testing.T) {
	t.Parallel()
	text := rapid.StringMatching(`[ab%+ -]{0,40}`)
	rapid.Check(t, func(t *rapid.T) {
		c := Call{Path: text.Draw(t, "path"), Query: text.Draw(t, "query"), Key: text.Draw(t, "key"), Body: []byte(text.Draw(t, "body")),
			Header: http.Header{"X": {text.Draw(t, "first field"), text.Draw(t, "second field")}}}
		c.bloom = bloomOf(&c)
		value := rapid.StringMatching(`[ab%+ -]{1,12}`).Draw(t, "value")
		if ContainsAny(value)(c) && !c.bloom.mayHold(value) {
			t.Fatalf("%q is in %+v, and the filter says it is not", value, c)
		}
	})
}

func TestASketchRulesOutAlmostAllOthers(t *testing.T) {
	t.Parallel()
	l := newLedger(Options{MaxCalls: 1000, MaxBytes: 1 << 20})
	marker := func(n int) string { return fmt.Sprintf("oncespec-4fj2k-%06d", n) }
	for n := range 500 {
		l.add(&Call{Path: "/bookings", Body: []byte(`{"title":"` + marker(n) + `","amount":1999}`), Header: http.Header{"User-Agent": {strings.Repeat("agent", 20)}}})
	}
	asked := 0
	found := l.list([]string{marker(77)}, func(c Call) bool { asked++; return ContainsAny(marker(77))(c) })
	if len(found) != 1 || asked > 5 {
		t.Errorf("found %d, expected 1; matched %d calls against the value, expected hardly more than that one", len(found), asked)
	}
}

func TestAKeyThatIsLearnedLaterIsFound(t *testing.T) {
	t.Parallel()
	l := newLedger(Options{MaxCalls: 10, MaxBytes: 1 << 20})
	c := &Call{Path: "/bookings/a%2Fkey-of-a-lookup"}
	l.add(c)
	l.update(c, func(c *Call) { c.Lookup, c.Key = true, "a/key-of-a-lookup" })
	if found := l.list([]string{"a/key-of-a-lookup"}, nil); len(found) != 1 {
		t.Errorf("found %d calls, expected the lookup", len(found))
	}
}
