package rewrite

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/oncespec/oncespec/mockapi/contract"
)

// exampleSample is a small sample with a marker at /m, a free-form object at /f, and what the example asks for.
func exampleSample(t testing.TB, body, query string) *Sample {
	t.Helper()
	if body == "" {
		body = `{"m":"x","f":{}}`
	}
	policy := Policy{
		Unique:  []string{"/m"},
		Vary:    map[string]Vary{},
		Renewed: []Field{{"Authorization", "Bearer new"}},
		Contract: contract.Contract{Name: "Idempotency-Key", Fingerprint: contract.Fingerprint{
			Exclude: []string{"/trace"}, Sets: []string{"/set"},
		}},
	}
	root, err := Parse([]byte(body))
	if err != nil {
		t.Fatal(err)
	}
	for name, vary := range map[string]Vary{
		"f":       {Type: TypeObject},
		"kind":    {Enum: []any{"low", "high"}},
		"amount":  {Min: "1"},
		"at":      {},
		"price":   {},
		"ref":     {},
		"set":     {Type: TypeArray},
		"channel": {Default: "web"},
	} {
		if _, ok := root.At(Pointer{name}); ok {
			policy.Vary["/"+name] = vary
		}
	}
	for _, p := range splitQuery(query) {
		policy.Vary["?"+p.key()] = Vary{Optional: true}
	}
	return mustSample(t, Request{
		Method: "POST", Path: "/v1/things", RawQuery: query,
		Header: []Field{{"Content-Type", "application/json"}, {"Idempotency-Key", "k1"}},
		Body:   []byte(body),
	}, policy)
}

// exampleOf is exampleSample, a form or a multipart form, as the rewrite needs it; the latter's body is what the example says.
func exampleOf(t testing.TB, e example) *Sample {
	t.Helper()
	media := map[string]string{"form": "application/x-www-form-urlencoded", "multipart": "multipart/form-data; boundary=b"}[strings.Split(e.id, "/")[0]]
	path := "/v1/things"
	if e.id == "path/encoded-slash" {
		path, media = "/v1/a%2Fb", "application/json"
	}
	if media == "" {
		return exampleSample(t, e.body, e.query)
	}
	return mustSample(t, Request{Method: "POST", Path: path, Header: []Field{{"Content-Type", media}}, Body: []byte(e.body)}, Policy{})
}

func mustSample(t testing.TB, request Request, policy Policy) *Sample {
	t.Helper()
	s, err := NewSample(request, policy)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// show prints the part of a request that a rewrite changes.
func show(t *testing.T, r Request, rewrite Rewrite) string {
	t.Helper()
	switch rewrite.Part {
	case Query, Path:
		if rewrite.ID == "query/moved-to-body" {
			return r.Target() + " " + string(r.Body)
		}
		return r.Target()
	case Header, Key:
		var lines []string
		for _, f := range r.Header {
			lines = append(lines, f.Name+": "+f.Value)
		}
		return strings.Join(lines, "\n")
	case Message:
		if rewrite.ID == "protocol/http2" {
			return string(r.protocol()) + " " + string(r.Body)
		}
		return string(r.framing()) + " " + string(r.Body)
	}
	if coding, _ := r.Get("Content-Encoding"); coding == "gzip" {
		z, err := gzip.NewReader(bytes.NewReader(r.Body))
		if err != nil {
			t.Fatal(err)
		}
		plain, err := io.ReadAll(z)
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprintf("gzip(%d) %s", r.Body[8], plain) // byte 8 tells how hard it was compressed
	}
	return string(r.Body)
}

func TestEveryRewriteMakesItsExamplePair(t *testing.T) {
	t.Parallel()
	rows := Catalogue()
	if len(rows) != len(examples) {
		t.Fatalf("the catalogue has %d rewrites, the table %d examples: give each rewrite one", len(rows), len(examples))
	}
	for i, want := range examples {
		r := rows[i]
		if r.ID != want.id {
			t.Fatalf("rewrite %d of the catalogue is %s, want %s: the order says which is likelier to find a defect", i, r.ID, want.id)
		}
		s := exampleOf(t, want)
		sites := r.Sites(s)
		if len(sites) == 0 {
			_, why := r.Applies(s)
			t.Errorf("%s: %s", r.ID, why)
			continue
		}
		pair, ok := r.Apply(s, sites[0], 0)
		if !ok || pair.Rewrite != r.ID || pair.Site != sites[0] {
			t.Errorf("%s: Apply at its own site %+v gave %+v, %v", r.ID, sites[0], pair, ok)
		}
		if got := show(t, pair.A, r); got != want.a {
			t.Errorf("%s: A\n got %q\nwant %q", r.ID, got, want.a)
		}
		got := show(t, pair.B, r)
		if beginning, cut := strings.CutSuffix(want.b, "…"); cut {
			got, want.b = got[:min(len(beginning), len(got))], beginning
		}
		if got != want.b {
			t.Errorf("%s: B\n got %q\nwant %q", r.ID, got, want.b)
		}
	}
}

func TestTheCatalogueIsWellFormed(t *testing.T) {
	t.Parallel()
	id := regexp.MustCompile(`^[a-z0-9-]+/[a-z0-9^-]+$`)
	seen := map[string]bool{}
	for _, r := range Catalogue() {
		switch {
		case !id.MatchString(r.ID), seen[r.ID]:
			t.Errorf("id %q: taken, or not of the form family/name", r.ID)
		case !strings.HasSuffix(r.Sentence, ".") || strings.Count(r.Sentence, ". ") > 0:
			t.Errorf("%s: the sentence is not one sentence: %q", r.ID, r.Sentence)
		case r.Source == "", r.Needs == "", r.Part == "", r.act == nil:
			t.Errorf("%s: source, needs, part or action is missing", r.ID)
		case (r.Class != ByContract) && r.Decides != "":
			t.Errorf("%s: %s decides, but the class is %s", r.ID, r.Decides, r.Class)
		}
		switch r.Class {
		case Same, SameByPractice, ByContract, Different:
		default:
			t.Errorf("%s: class %q is no property of a rewrite", r.ID, r.Class)
		}
		if b, ok := r.act.(inBody); ok && b.plant != "" {
			if value, err := Parse([]byte(b.plant)); err != nil {
				t.Errorf("%s: planted value: %v", r.ID, err)
			} else if at, err := ParsePointer(b.below); err != nil {
				t.Errorf("%s: %v", r.ID, err)
			} else if _, found := value.At(at); !found {
				t.Errorf("%s: nothing at %s of the planted value", r.ID, b.below)
			}
		}
		seen[r.ID] = true
		if found, ok := Find(r.ID); !ok || found.ID != r.ID {
			t.Errorf("Find(%s) found %q, %v", r.ID, found.ID, ok)
		}
	}
	if _, ok := Find("no/such"); ok {
		t.Error("Find found a rewrite that does not exist")
	}
}

func TestARewriteSaysWhatASampleLacks(t *testing.T) {
	t.Parallel()
	bare := mustSample(t, Request{Method: "DELETE", Path: "/"}, Policy{})
	for _, r := range Catalogue() {
		ok, reason := r.Applies(bare)
		if !ok && !strings.HasPrefix(reason, "the sample offers no ") {
			t.Errorf("%s: reason %q", r.ID, reason)
		}
		if ok != (r.Part == Header && r.Header != "" || r.ID == "query/bare-mark" || r.ID == "protocol/http2") {
			t.Errorf("%s: applies to a request without body, query and headers: %v", r.ID, ok)
		}
	}
}
