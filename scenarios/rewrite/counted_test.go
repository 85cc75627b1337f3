package rewrite

import (
	"net/textproto"
	"testing"

	"github.com/oncespec/oncespec/mockapi/contract"
	"github.com/oncespec/oncespec/mockapi/fingerprint"
)

// Where only some fields count, a rewrite that has to be refused changes one of them, and one that has to replay changes none.
func TestClassesFollowTheFieldsThatCount(t *testing.T) {
	t.Parallel()
	promised, err := contract.Profile("ietf-07")
	if err != nil {
		t.Fatal(err)
	}
	f := &promised.Fingerprint
	f.Fields, f.Query, f.Absence, f.Defaults, f.Unknown, f.Normalisation = []string{"/amount", "/details/source"}, "counts", "distinct", "distinct", "counts", "none"
	s, err := NewSample(Request{Method: "POST", Path: "/v1/payments", Header: []Field{{"Content-Type", "application/json"}},
		Body: []byte(`{"amount":1999,"currency":"EUR","note":"caf\u00e9","tags":["a","b"],"details":{"source":{"system":"billing","page":7,"n":null},"other":{"a":1}}}`)},
		Policy{Contract: promised, Vary: map[string]Vary{"/amount": {}, "/currency": {}, "/note": {Default: "x"}, "/tags": {}, "/details/source": {}, "/details/other": {}}})
	if err != nil {
		t.Fatal(err)
	}
	digest := func(r Request) (string, error) {
		header := map[string][]string{}
		for _, field := range r.Header {
			name := textproto.CanonicalMIMEHeaderKey(field.Name)
			header[name] = append(header[name], field.Value)
		}
		return fingerprint.Of(*f, fingerprint.Request{Method: r.Method, Path: r.Path, Query: r.RawQuery, Header: header, Body: plainBody(t, r)})
	}
	counted := map[Class]int{}
	for _, r := range Catalogue() {
		class := r.ClassUnder(promised)
		for _, site := range r.Sites(s) {
			pair, ok := r.Apply(s, site, 0)
			if !ok || r.Part != Body {
				continue
			}
			counted[class]++
			a, err := digest(pair.A)
			if err != nil {
				continue
			}
			b, err := digest(pair.B)
			switch alike := err == nil && a == b; {
			case class == Different && alike:
				t.Errorf("%s at %+v changes nothing that counts\nA %s\nB %s", r.ID, site, pair.A.Body, pair.B.Body)
			case (class == Same || class == SameByPractice) && !alike:
				t.Errorf("%s at %+v changes what counts (%v)\nA %s\nB %s", r.ID, site, err, pair.A.Body, pair.B.Body)
			}
		}
	}
	if counted[Different] < 40 || counted[Same] < 20 {
		t.Errorf("tried %v", counted)
	}
	if volatile, _ := Find("volatile/body-field"); len(volatile.Sites(s)) == 0 || volatile.ClassUnder(promised) != Same {
		t.Error("a field that does not count is not offered")
	}
}
