package rewrite

import (
	"encoding/json"
	"maps"
	"math/big"
	"reflect"
	"slices"
	"strconv"
	"testing"

	"github.com/oncespec/oncespec/mockapi/contract"
	"pgregory.net/rapid"
)

// richRequest has something for nearly every rewrite.
func richRequest() Request {
	return Request{
		Method: "POST", Path: "/v1/tickets/a%2Fb", RawQuery: "dry=true&to=a+b&to=c&draft&limit=10",
		Header: []Field{{"Content-Type", "application/json"}, {"Accept", "application/json"}, {"X-Twice", "1"}, {"X-Twice", "2"}, {"Idempotency-Key", `"k"`}},
		Body: []byte(`{"title":"m-1 é","ref":"m2","amount":1999,"rate":10.5,"big":2e3,"zero":0,"urgent":true,"gone":null,"empty":"",
			"none":[],"nothing":{},"note":"Grüße an <alle> 😀 a/b\n","priority":"low","tags":["a","b","b"],"lines":[{"sku":"a","n":1},{"sku":"b","n":2}],
			"customer":{"name":"Ann","vip":false,"address":{"geo":{"lat":1.5}}},"metadata":{"run":"m3","k":"v","n":{"x":1}},"labels":{"a":"b"},
			"at":"2026-05-05T10:00:00Z","price":"10.50","id":"0190a8e4-5c1f-7d3a-9b2e-6f4d8c7b1a05","trace":"t-1","set":[1,2,3]}`),
	}
}

// richMarkers are the unique leaves of richRequest, by pointer.
var richMarkers = map[string]string{"/title": "m-1 é", "/ref": "m2", "/metadata/run": "m3"}

func richPolicy() Policy {
	return Policy{
		Unique:  slices.Sorted(maps.Keys(richMarkers)),
		Renewed: []Field{{"Authorization", "Bearer 2"}},
		Contract: contract.Contract{Name: "Idempotency-Key", Fingerprint: contract.Fingerprint{
			Exclude: []string{"/trace"}, Sets: []string{"/set"},
		}},
	}
}

// declaredPolicy says what may vary.
func declaredPolicy() Policy {
	p := richPolicy()
	p.Vary = map[string]Vary{
		"/priority": {Enum: []any{"low", "high", "none"}},
		"/amount":   {Min: "1", Max: "2000"},
		"/note":     {Max: "80"},
		"/urgent":   {},
		"/metadata": {Type: TypeObject},
		"/labels":   {Values: &Vary{Type: TypeString, Max: "4"}},
		"/tags":     {Type: TypeArray, Max: "3", Values: &Vary{Enum: []any{"a", "b", "c"}}},
		"/rate":     {Type: TypeNumber},
		"/channel":  {Default: "web"},
		"?limit":    {Type: TypeInteger, Min: "1", Max: "10"},
		"?to":       {Enum: []any{"a b", "c", "d"}, Optional: true},
	}
	return p
}

func richSamples(t testing.TB) map[string]*Sample {
	fixed := richPolicy()
	fixed.Fixed = []string{"/priority", "/tags", "/customer", "?to"}
	return map[string]*Sample{
		"guessed":  mustSample(t, richRequest(), richPolicy()),
		"declared": mustSample(t, richRequest(), declaredPolicy()),
		"fixed":    mustSample(t, richRequest(), fixed),
	}
}

func TestEveryPairKeepsItsPromise(t *testing.T) {
	t.Parallel()
	choices := []int{0, 1, 2, 3, -1, 1 << 40}
	if testing.Short() {
		choices = choices[1:2] // what computes alone shows the race detector nothing
	}
	for name, s := range richSamples(t) {
		before := s.Request()
		applied := 0
		for _, r := range Catalogue() {
			sites := r.Sites(s)
			if len(sites) > 0 {
				applied++
			}
			if again := r.Sites(s); !slices.Equal(sites, again) {
				t.Errorf("%s, %s: two lists of sites differ", name, r.ID)
			}
			for _, site := range sites {
				for _, choice := range choices {
					pair, ok := r.Apply(s, site, choice)
					if !ok {
						t.Errorf("%s, %s at %+v: choice %d is not valid", name, r.ID, site, choice)
						continue
					}
					checkPair(t, r, pair, richMarkers)
					if again, _ := r.Apply(s, site, choice); choice == 1 && !reflect.DeepEqual(again, pair) {
						t.Errorf("%s, %s at %+v: the same choice made two pairs", name, r.ID, site)
					}
				}
			}
		}
		if !reflect.DeepEqual(before, s.Request()) || string(before.Body) != s.root.String() {
			t.Errorf("%s: applying rewrites changed the sample", name)
		}
		if applied < 100 {
			t.Errorf("%s: only %d rewrites apply to a sample that has something for nearly all", name, applied)
		}
	}
}

func TestChangesStayWithinWhatMayVary(t *testing.T) {
	t.Parallel()
	s := mustSample(t, richRequest(), declaredPolicy())
	for _, r := range Catalogue() {
		if r.Class != Different && r.ID != "volatile/body-field" {
			continue
		}
		for _, site := range r.Sites(s) {
			if site.Guess {
				t.Errorf("%s at %s: a guess, although the owner said what varies", r.ID, site.At)
			}
			for choice := range 4 {
				pair, _ := r.Apply(s, site, choice)
				for _, request := range []Request{pair.A, pair.B} {
					checkWithin(t, r.ID, request)
				}
			}
		}
	}
}

// checkWithin holds a request to declaredPolicy, by hand.
func checkWithin(t *testing.T, id string, r Request) {
	t.Helper()
	var original, got map[string]any
	if err := json.Unmarshal(richRequest().Body, &original); err != nil {
		t.Fatal(err)
	}
	if json.Unmarshal(r.Body, &got) != nil {
		return // syntax/* leaves JSON altogether
	}
	varied := []string{"priority", "amount", "note", "urgent", "metadata", "labels", "tags", "rate", "channel"}
	if id == "volatile/body-field" {
		varied = append(varied, "trace")
	}
	if id == "name/case-twin" || id == "query/moved-to-body" {
		return // both add a member on purpose
	}
	for name := range got {
		if _, known := original[name]; !known && !slices.Contains(varied, name) {
			t.Errorf("%s: added %s: %s", id, name, r.Body)
		}
	}
	for name, value := range original {
		if !slices.Contains(varied, name) && !reflect.DeepEqual(got[name], value) {
			t.Errorf("%s: changed %s, which may not vary: %s", id, name, r.Body)
		}
	}
	if n, ok := got["amount"].(float64); !ok || n < 1 || n > 2000 || n != float64(int(n)) {
		t.Errorf("%s: amount %v is not an integer from 1 to 2000", id, got["amount"])
	}
	if _, ok := got["rate"].(float64); !ok {
		t.Errorf("%s: rate %v is no number", id, got["rate"])
	}
	if p, _ := got["priority"].(string); p != "low" && p != "high" && p != "none" {
		t.Errorf("%s: priority %v is not among the allowed ones", id, got["priority"])
	}
	tags, _ := got["tags"].([]any)
	if len(tags) > 3 {
		t.Errorf("%s: %d tags", id, len(tags))
	}
	for _, tag := range tags {
		if tag != "a" && tag != "b" && tag != "c" {
			t.Errorf("%s: tag %v is not among the allowed ones", id, tag)
		}
	}
	for _, label := range got["labels"].(map[string]any) {
		if text, ok := label.(string); !ok || len([]rune(text)) > 4 {
			t.Errorf("%s: label %v is no string of at most 4 characters", id, label)
		}
	}
	for _, p := range splitQuery(r.RawQuery) {
		if limit, err := strconv.Atoi(p.text()); p.key() == "limit" && (err != nil || limit < 1 || limit > 10) {
			t.Errorf("%s: limit %q is not from 1 to 10", id, p.text())
		}
		if p.key() == "to" && !slices.Contains([]string{"a b", "c", "d"}, p.text()) {
			t.Errorf("%s: to %q is not among the allowed ones", id, p.text())
		}
	}
}

func TestEveryDrawnPairKeepsItsPromise(t *testing.T) {
	for name, s := range richSamples(t) {
		usable := Usable(s, Catalogue())
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(rt *rapid.T) {
				trial, ok := drawTrial(rt, s, usable)
				if !ok {
					rt.Fatal("nothing was drawn")
				}
				pair, ok := s.Pair(trial)
				if !ok {
					rt.Fatal("a drawn trial makes no pair")
				}
				rewrite, _ := Find(trial.Rewrite)
				checkPair(t, rewrite, pair, richMarkers)
				if t.Failed() {
					rt.FailNow()
				}
			})
		})
	}
}

func TestComparingNumbersAgreesWithExactFractions(t *testing.T) {
	t.Parallel()
	literal := rapid.StringMatching(`-?(0|[1-9][0-9]{0,3})(\.[0-9]{1,4})?([eE][+-]?[0-9]{1,2})?`)
	rapid.Check(t, func(rt *rapid.T) {
		a, b := literal.Draw(rt, "a"), literal.Draw(rt, "b")
		x, _ := new(big.Rat).SetString(a)
		y, _ := new(big.Rat).SetString(b)
		if got, want := compareNumbers(a, b), x.Cmp(y); got != want {
			rt.Fatalf("comparing gave another order: %d, want %d", got, want)
		}
		up, ok := new(big.Rat).SetString(step(a, 1))
		if !ok || up.Cmp(x) <= 0 {
			rt.Fatal("one unit more is not more")
		}
	})
}
