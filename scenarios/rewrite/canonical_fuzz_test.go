package rewrite

import (
	"bytes"
	"testing"

	"github.com/oncespec/oncespec/mockapi/fingerprint"
)

// FuzzCanonicalForm holds the canonical form and the rewrites to one another: bodies that mean the same have one form, bodies
// that do not have two, or B has none.
func FuzzCanonicalForm(f *testing.F) {
	for i, e := range examples {
		if !testing.Short() || i%8 == 0 {
			f.Add([]byte(e.a))
		}
	}
	f.Add(richRequest().Body)
	f.Fuzz(func(t *testing.T, body []byte) {
		if len(body) > 4096 {
			return
		}
		s, err := NewSample(Request{Method: "POST", Path: "/a", Header: []Field{{"Content-Type", "application/json"}}, Body: body}, Policy{})
		if err != nil {
			return
		}
		for _, r := range Catalogue() {
			if r.Part != Body || r.Class != Same && r.Class != SameByPractice && r.Class != Different {
				continue
			}
			for _, site := range r.Sites(s) {
				pair, ok := r.Apply(s, site, 0)
				if !ok {
					continue
				}
				a, err := fingerprint.Canonical(pair.A.Body)
				if err != nil {
					continue // such as a name twice: nothing can be said of A
				}
				b, err := fingerprint.Canonical(plainBody(t, pair.B))
				switch equal := err == nil && bytes.Equal(a, b); {
				case r.Class == Different && equal:
					t.Fatalf("%s at %+v: one form for two meanings\nA %s\nB %s", r.ID, site, pair.A.Body, pair.B.Body)
				case r.Class != Different && !equal:
					t.Fatalf("%s at %+v: two forms for one meaning (%v)\nA %s\nB %s", r.ID, site, err, pair.A.Body, pair.B.Body)
				}
			}
		}
	})
}
