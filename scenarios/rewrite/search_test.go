package rewrite

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// searched is what a search is run on: a marker, an amount, and room for anything.
func searched(t testing.TB) *Sample {
	return mustSample(t, Request{
		Method: "POST", Path: "/v1/payments", Header: []Field{{"Content-Type", "application/json"}},
		Body: []byte(`{"m":"x","amount":1999,"currency":"EUR","metadata":{}}`),
	}, Policy{Unique: []string{"/m"}, Vary: map[string]Vary{"/amount": {Min: "1"}, "/currency": {Enum: []any{"EUR", "USD"}}, "/metadata": {Type: TypeObject}}})
}

// float64Print is the fingerprint of an API that decodes numbers as binary floating point.
func float64Print(body []byte) string {
	var value any
	if json.Unmarshal(body, &value) != nil {
		return "" // refused, so no fingerprint is compared
	}
	out, _ := json.Marshal(value)
	return string(out)
}

func differentRows() (out []Rewrite) {
	for _, r := range Catalogue() {
		if r.Class == Different && !r.Confirm && r.Part == Body {
			out = append(out, r)
		}
	}
	return out
}

// find draws trials until one fails, and tells how many it took.
func find(s *Sample, rows []Rewrite, seed int, fails func(Pair) bool) (Trial, int) {
	usable := Usable(s, rows)
	draws := rapid.Custom(func(t *rapid.T) Trial {
		trial, _ := drawTrial(t, s, usable)
		return trial
	})
	for n := 1; n <= 1000; n++ {
		trial := draws.Example(seed*1000 + n)
		if pair, ok := s.Pair(trial); ok && fails(pair) {
			return trial, n
		}
	}
	return Trial{}, 0
}

func TestASearchFindsFloatingPointEveryTimeAndShrinksItCheaply(t *testing.T) {
	t.Parallel()
	s := searched(t)
	for seed := range 21 {
		asked := 0
		trial, took := find(s, differentRows(), seed, func(p Pair) bool {
			return float64Print(p.A.Body) != "" && float64Print(p.A.Body) == float64Print(p.B.Body)
		})
		if took == 0 {
			t.Fatalf("seed %d: a thousand trials found nothing", seed)
		}
		small, err := Shrink(s, trial, func(p Pair, _ Trial) (bool, error) {
			asked++
			return float64Print(p.A.Body) == float64Print(p.B.Body), nil
		})
		if err != nil {
			t.Fatal(err)
		}
		pair, ok := s.Pair(small)
		if !ok || len(small.Changes) > 1 || len(pair.A.Body) > 100 || len(DiffPointers(pair.A.Body, pair.B.Body)) != 1 {
			t.Errorf("seed %d: not the smallest case: %s at %+v with %+v", seed, small.Rewrite, small.Site, small.Changes)
		}
		if took > 200 || asked > 20 {
			t.Errorf("seed %d: %d trials to find it, %d to shrink it", seed, took, asked)
		}
	}
}

func TestShrinkingKeepsWhatTheFailureNeeds(t *testing.T) {
	t.Parallel()
	s := searched(t)
	// The defect: the amount is forgotten when the metadata holds an array somewhere.
	broken := func(p Pair) bool {
		var a, b map[string]any
		if json.Unmarshal(p.A.Body, &a) != nil || json.Unmarshal(p.B.Body, &b) != nil {
			return false
		}
		metadata, _ := json.Marshal(a["metadata"])
		return strings.Contains(string(metadata), "[") && a["amount"] != b["amount"]
	}
	amount, _ := Find("leaf/amount")
	trial, took := find(s, []Rewrite{amount}, 1, broken)
	if took == 0 {
		t.Fatal("a thousand trials found nothing")
	}
	asked := map[string]bool{}
	small, err := Shrink(s, trial, func(p Pair, _ Trial) (bool, error) {
		id := string(p.A.Body) + string(p.B.Body)
		if asked[id] {
			t.Errorf("asked twice about %s", id)
		}
		asked[id] = true
		return broken(p), nil
	})
	if err != nil {
		t.Fatal(err)
	}
	pair, ok := s.Pair(small)
	if !ok || !broken(pair) {
		t.Fatalf("the smaller trial %+v does not fail", small)
	}
	if len(small.Changes) != 1 || len(small.Changes[0].Value) > 12 {
		t.Errorf("not small: %+v", small.Changes)
	}
	if len(asked) > 60 {
		t.Errorf("%d requests to shrink", len(asked))
	}
}

func TestShrinkingStopsAtAnError(t *testing.T) {
	t.Parallel()
	s := searched(t)
	trial, _ := find(s, Catalogue(), 1, func(p Pair) bool { return p.Prepared })
	down := errors.New("target down")
	got, err := Shrink(s, trial, func(Pair, Trial) (bool, error) { return false, down })
	if !errors.Is(err, down) || !reflect.DeepEqual(got.Changes, trial.Changes) {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestDrawingRepeats(t *testing.T) {
	t.Parallel()
	s := mustSample(t, richRequest(), declaredPolicy())
	usable := Usable(s, Catalogue())
	draws := rapid.Custom(func(t *rapid.T) Pair {
		trial, _ := drawTrial(t, s, usable)
		pair, _ := s.Pair(trial)
		return pair
	})
	for seed := range 50 {
		if a, b := draws.Example(seed), draws.Example(seed); !reflect.DeepEqual(a, b) {
			t.Fatalf("seed %d drew two pairs", seed)
		}
	}
}

func TestDrawingReachesEveryUsableRewrite(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("thousands of draws, one after the other: nothing for the race detector")
	}
	s := mustSample(t, richRequest(), declaredPolicy())
	usable := Usable(s, Catalogue())
	draws := rapid.Custom(func(t *rapid.T) string {
		trial, _ := drawTrial(t, s, usable)
		return trial.Rewrite
	})
	seen := map[string]bool{}
	for seed := 0; seed < 5000 && len(seen) < len(usable); seed++ {
		seen[draws.Example(seed)] = true
	}
	for _, r := range usable {
		if !seen[r.ID] {
			t.Errorf("%s was never drawn", r.ID)
		}
	}
}
