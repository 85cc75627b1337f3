package rewrite

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/oncespec/oncespec/mockapi/contract"
)

func TestASampleRefusesAPolicyThatDoesNotFit(t *testing.T) {
	t.Parallel()
	request := Request{Method: "POST", Path: "/", RawQuery: "to=a", Header: []Field{{"Content-Type", "application/json"}}, Body: []byte(`{"m":"x","n":1,"o":{"p":2}}`)}
	for _, test := range []struct {
		name   string
		policy Policy
		want   string
	}{
		{"unique names nothing", Policy{Unique: []string{"/no"}}, "unique: /no: names nothing"},
		{"unique is no pointer", Policy{Unique: []string{"m"}}, "expected a leading /"},
		{"vary names nothing", Policy{Vary: map[string]Vary{"/no": {}}}, "vary: /no: names nothing"},
		{"vary names nothing, with a type", Policy{Vary: map[string]Vary{"/no": {Type: TypeString}}}, "say optional, default or type: object"},
		{"vary below nothing", Policy{Vary: map[string]Vary{"/no/no": {Optional: true}}}, "names nothing"},
		{"vary names a marker", Policy{Unique: []string{"/m"}, Vary: map[string]Vary{"/m": {}}}, "/m: is a unique marker"},
		{"vary below a marker", Policy{Unique: []string{"/o"}, Vary: map[string]Vary{"/o/p": {}}}, "/o/p: is a unique marker"},
		{"unknown type", Policy{Vary: map[string]Vary{"/n": {Type: "float"}}}, `found "float", expected one of integer`},
		{"bounds cross", Policy{Vary: map[string]Vary{"/n": {Min: "1e3", Max: "10"}}}, "min 1e3 is greater than max 10"},
		{"bound is no number", Policy{Vary: map[string]Vary{"/n": {Min: "ten"}}}, `bound "ten"`},
		{"default not allowed", Policy{Vary: map[string]Vary{"/n": {Enum: []any{1, 2}, Default: 3}}}, "default 3 is not among"},
		{"values", Policy{Vary: map[string]Vary{"/o": {Values: &Vary{Type: "x"}}}}, "values: type"},
		{"no such parameter", Policy{Vary: map[string]Vary{"?from": {}}}, "?from: the request has no query parameter"},
		{"excluded is no pointer", Policy{Contract: contract.Contract{Fingerprint: contract.Fingerprint{Exclude: []string{"x"}}}}, "fingerprint.exclude"},
		{"fixed is no pointer", Policy{Fixed: []string{"x"}}, "fixed"},
	} {
		_, err := NewSample(request, test.policy)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want one with %q", test.name, err, test.want)
		}
	}
	broken := request
	broken.Body = []byte(`{"m":`)
	if _, err := NewSample(broken, Policy{}); err == nil || !strings.Contains(err.Error(), "request body: JSON at byte 5") {
		t.Errorf("broken body: %v", err)
	}
	broken.Header = nil
	if _, err := NewSample(broken, Policy{}); err != nil {
		t.Errorf("a body that nobody called JSON: %v", err)
	}
	if _, err := NewSample(broken, Policy{Unique: []string{"/m"}}); err == nil || !strings.Contains(err.Error(), "no JSON body") {
		t.Errorf("a marker in a body that is no JSON: %v", err)
	}
}

func TestASampleKeepsLiteralsAndCopiesItsRequest(t *testing.T) {
	t.Parallel()
	request := Request{Method: "POST", Path: "/", Header: []Field{{"A", "1"}}, Body: []byte(`{ "n" : 1.50, "s":"\u0061" }`)}
	s := mustSample(t, request, Policy{})
	request.Header[0].Value, request.Body[0] = "2", 'x'
	got := s.Request()
	if string(got.Body) != `{"n":1.50,"s":"\u0061"}` || got.Header[0].Value != "1" {
		t.Errorf("sample holds %q, %v", got.Body, got.Header)
	}
	got.Body[0], got.Header[0].Value = 'x', "2"
	if again := s.Request(); again.Body[0] != '{' || again.Header[0].Value != "1" {
		t.Error("changing a copy changed the sample")
	}
}

func TestVaryIsReadExactly(t *testing.T) {
	t.Parallel()
	want := `{"enum":["low",9007199254740993],"min":0.10,"max":90071992547409.931}`
	for name, read := range map[string]func(*Vary) error{
		"JSON": func(v *Vary) error {
			return json.Unmarshal([]byte(`{"enum":["low",null],"min":"0.10","max":90071992547409.931}`), v)
		},
		"YAML": func(v *Vary) error {
			return yaml.Unmarshal([]byte("enum: [low, 9007199254740993]\nmin: '0.10'\nmax: 90071992547409.931\n"), v)
		},
	} {
		var v Vary
		if err := read(&v); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if name == "JSON" {
			v.Enum[1] = json.Number("9007199254740993")
		}
		got, err := json.Marshal(v)
		if err != nil || string(got) != want {
			t.Errorf("%s: %s, %v; want %s", name, got, err, want)
		}
	}
	var v Vary
	for _, wrong := range []string{`{"min":"x"}`, `{"min":true}`, `{"max":"1.2.3"}`, `{"max":"0x10"}`} {
		if err := json.Unmarshal([]byte(wrong), &v); err == nil || !strings.Contains(err.Error(), "expected a decimal number") {
			t.Errorf("%s: %v", wrong, err)
		}
	}
	if err := json.Unmarshal([]byte(`{"min":null,"max":""}`), &v); err != nil || v.Min != "" || v.Max != "" {
		t.Errorf("no bounds: %v, %+v", err, v)
	}
}

func TestAChangedPlaceIsMissedOrMadeAsNeeded(t *testing.T) {
	t.Parallel()
	s := mustSample(t, Request{Method: "POST", Path: "/", RawQuery: "q=1", Body: []byte(`{"m":"x","a":[1,2]}`)},
		Policy{Unique: []string{"/m"}, Vary: map[string]Vary{"/free": {Type: TypeObject}}})
	changed, err := s.With(Change{At: "/free/a", Value: `{"b":1.0}`}, Change{At: "/a/1", Value: `3`}, Change{At: "?q", Value: "a b"})
	if err != nil {
		t.Fatal(err)
	}
	if got := changed.Request(); string(got.Body) != `{"m":"x","a":[1,3],"free":{"a":{"b":1.0}}}` || got.RawQuery != "q=a+b" {
		t.Errorf("changed to %s with query %s", got.Body, got.RawQuery)
	}
	if got := s.Request(); string(got.Body) != `{"m":"x","a":[1,2]}` {
		t.Errorf("the sample itself changed to %s", got.Body)
	}
	for _, wrong := range []Change{{At: "/m", Value: `"y"`}, {Value: "{}"}, {At: "/a/9", Value: "1"}, {At: "/x/y/z", Value: "1"}, {At: "/a", Value: "{"}, {At: "?no", Value: "1"}, {At: "a", Value: "1"}, {At: "/m/x", Value: "1"}, {At: "/m", Drop: true}, {At: "/no", Drop: true}, {At: "/a/0", Drop: true}} {
		if _, err := s.With(wrong); err == nil {
			t.Errorf("%+v was taken", wrong)
		}
	}
}

func TestRequestsAreComparedAndCopiedByWhatIsWritten(t *testing.T) {
	t.Parallel()
	r := Request{Method: "POST", Path: "/a", Header: []Field{{"content-TYPE", "Application/Problem+JSON; charset=utf-8"}, {"X", "1"}}, Body: []byte("{}")}
	if !r.Equal(r.Clone()) {
		t.Error("a clone differs")
	}
	if got := r.MediaType(); got != "application/problem+json" {
		t.Errorf("media type %q", got)
	}
	if _, ok := r.Get("Y"); ok {
		t.Error("found a header that is not there")
	}
	for name, change := range map[string]func(*Request){
		"method":     func(r *Request) { r.Method = "PUT" },
		"path":       func(r *Request) { r.Path = "/b" },
		"query":      func(r *Request) { r.RawQuery = "a" },
		"mark":       func(r *Request) { r.BareMark = true },
		"name case":  func(r *Request) { r.Header[1].Name = "x" },
		"value":      func(r *Request) { r.Set("x", "2") },
		"one more":   func(r *Request) { r.Set("Y", "2") },
		"body":       func(r *Request) { r.Body[0] = '[' },
		"framing":    func(r *Request) { r.Framing = Chunked },
		"media type": func(r *Request) { r.Set("Content-Type", "text/plain") },
	} {
		other := r.Clone()
		change(&other)
		if r.Equal(other) {
			t.Errorf("%s: changing a clone is not seen, or changed the original", name)
		}
	}
	framed := r.Clone()
	framed.Framing = ContentLength
	if !r.Equal(framed) {
		t.Error("the empty framing is not the default one")
	}
}
