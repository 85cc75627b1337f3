package rewrite

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// wide has more fields of one kind than anybody looks at one by one.
func wide(t *testing.T, policy Policy) *Sample {
	t.Helper()
	var fields []string
	for n := range 20 {
		fields = append(fields, fmt.Sprintf(`"f%d":"text%d"`, n, n))
	}
	body := `{` + strings.Join(fields, ",") + `,"deep":{"a":"x","b":{"c":"y"}},"list":[{"a":"u"},{"a":"v"}],"n":1,"m":2}`
	return mustSample(t, Request{Method: "POST", Path: "/things", RawQuery: "p=1&q=2", Header: []Field{{Name: "Content-Type", Value: "application/json"}}, Body: []byte(body)}, policy)
}

// TestEachValueIsChanged: a fingerprint may leave out any one of the fields, so that each is changed by itself.
func TestEachValueIsChanged(t *testing.T) {
	t.Parallel()
	s := wide(t, Policy{})
	_, together, alone := Garden(s, Usable(s, Catalogue()))
	at := map[string][]string{}
	for _, trial := range append(together, alone...) {
		at[trial.Rewrite] = append(at[trial.Rewrite], trial.Site.At)
	}
	var texts []string
	for n := range 20 {
		texts = append(texts, fmt.Sprintf("/f%d", n))
	}
	for id, want := range map[string][]string{
		"leaf/text":         texts,
		"leaf/amount":       {"/n", "/m"},
		"nested/leaf":       {"/deep/a", "/deep/b/c"},
		"nested/array-item": {"/list/0/a", "/list/1/a"},
		"query/value":       {"?p", "?q"},
		"order/top":         {""},
	} {
		if !slices.Equal(at[id], want) {
			t.Errorf("%s acts at %q, want %q", id, at[id], want)
		}
	}
}

// TestWhatIsNotListedIsTold: once the owner lists a place, the others stay as they are, and are named.
func TestWhatIsNotListedIsTold(t *testing.T) {
	t.Parallel()
	if got := wide(t, Policy{}).Unlisted(); len(got) > 0 {
		t.Errorf("nothing was listed, and %q stay as they are", got)
	}
	vary := map[string]Vary{"?q": {}, "/deep": {Type: TypeObject}, "/list": {Type: TypeArray}, "/m": {}}
	for n := range 18 {
		vary[fmt.Sprintf("/f%d", n)] = Vary{}
	}
	got := wide(t, Policy{Vary: vary, Unique: []string{"/f18"}}).Unlisted()
	if want := []string{"/f19", "/n", "?p"}; !slices.Equal(got, want) {
		t.Errorf("told %q, want %q", got, want)
	}
}
