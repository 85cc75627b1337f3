package rewrite

import (
	"reflect"
	"testing"
)

func dealt(t *testing.T, s *Sample, seed uint64, n int) (out []Hand) {
	t.Helper()
	d := Dealer{Sample: s, Rows: Usable(s, differentRows()), Seed: seed}
	for i := range n {
		hand, drawn := d.Deal(i)
		if !drawn || len(hand.Rows) == 0 || len(hand.Rows) > Handful {
			t.Fatalf("hand %d: drawn %v, %d rewrites", i, drawn, len(hand.Rows))
		}
		for j := range hand.Rows {
			hand.Rows[j].act = nil // functions cannot be compared
		}
		out = append(out, hand)
	}
	return out
}

func TestAHandDependsOnTheSeedAndItsNumberAlone(t *testing.T) {
	t.Parallel()
	s := searched(t)
	one, two, three := dealt(t, s, 7, 20), dealt(t, s, 7, 20), dealt(t, s, 8, 20)
	if !reflect.DeepEqual(one, two) {
		t.Error("one seed dealt two things")
	}
	if reflect.DeepEqual(one, three) || reflect.DeepEqual(one[0], one[1]) {
		t.Error("two seeds, or two numbers, dealt the same")
	}
}

// A defect at one place only is met: rewrites do not always act at the likeliest.
func TestHandsReachEveryPlace(t *testing.T) {
	t.Parallel()
	s := mustSample(t, Request{Method: "POST", Path: "/x", Header: []Field{{"Content-Type", "application/json"}},
		Body: []byte(`{"m":"x","o":{"a":1,"b":"b","c":{"d":true,"e":"e"}}}`)}, Policy{Unique: []string{"/m"}, Vary: map[string]Vary{"/o": {Type: TypeObject}}})
	d := Dealer{Sample: s, Rows: Usable(s, differentRows()), Seed: 1}
	reached := map[string]bool{}
	for n := range 60 {
		hand, _ := d.Deal(n)
		changes, trials, ok := hand.On(s)
		for _, trial := range trials {
			trial.Changes = changes
			if _, fits := s.Pair(trial); !fits {
				t.Errorf("hand %d: %s at %s does not fit", n, trial.Rewrite, trial.Site.At)
			}
			reached[trial.Site.At] = reached[trial.Site.At] || ok
		}
	}
	for _, at := range []string{"/o/a", "/o/b", "/o/c/d", "/o/c/e"} {
		if !reached[at] {
			t.Errorf("nothing acts at %s", at)
		}
	}
}
