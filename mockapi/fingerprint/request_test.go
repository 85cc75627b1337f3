package fingerprint_test

import (
	"errors"
	"maps"
	"regexp"
	"strings"
	"testing"

	"github.com/oncespec/oncespec/mockapi/contract"
	"github.com/oncespec/oncespec/mockapi/fingerprint"
)

const (
	asJSON = "application/json"
	asForm = "application/x-www-form-urlencoded"
)

// ticket is the request that the others are compared with.
func ticket() fingerprint.Request {
	return fingerprint.Request{
		Method: "POST",
		Path:   "/v1/tickets",
		Query:  "to=a&dry=1",
		Header: map[string][]string{"Content-Type": {asJSON}, "X-Api-Version": {"2025-01-01"}, "Traceparent": {"00-1"}},
		Body:   []byte(`{"title":"t","amount":1999,"tags":["a","b"],"context":1,"note":null}`),
	}
}

func TestWhatCountsOfARequest(t *testing.T) {
	t.Parallel()
	type (
		f = contract.Fingerprint
		r = fingerprint.Request
	)
	body := func(text string) func(*r) { return func(r *r) { r.Body = []byte(text) } }
	query := func(text string) func(*r) { return func(r *r) { r.Query = text } }
	path := func(text string) func(*r) { return func(r *r) { r.Path = text } }
	header := func(name string, lines ...string) func(*r) {
		return func(r *r) { r.Header = maps.Clone(r.Header); r.Header[name] = lines }
	}
	both := func(changes ...func(*r)) func(*r) {
		return func(r *r) {
			for _, change := range changes {
				change(r)
			}
		}
	}
	form := func(text string) func(*r) { return both(header("Content-Type", asForm), body(text)) }
	parts := func(boundary string, list ...string) func(*r) {
		text := ""
		for _, p := range list {
			text += "--" + boundary + "\r\n" + p + "\r\n"
		}
		return both(header("Content-Type", "multipart/form-data; boundary="+boundary), body(text+"--"+boundary+"--\r\n"))
	}
	const pen, paper = "Content-Disposition: form-data; name=pen\r\n\r\nink", "Content-Disposition: form-data; name=paper; filename=a.txt\r\nContent-Type: text/plain\r\n\r\n1"
	nothing := func(*r) {}
	for _, tc := range []struct {
		name string
		f    f
		a, b func(*r)
		same bool
	}{
		{"nothing changed", f{}, nothing, nothing, true},
		{"method", f{}, nothing, func(r *r) { r.Method = "PATCH" }, false},

		{"another path", f{}, path("/v1/tickets/1"), path("/v1/tickets/2"), false},
		{"path: percent case", f{}, path("/a%2fb"), path("/a%2Fb"), true},
		{"path: unreserved", f{}, path("/%7Euser/%61"), path("/~user/a"), true},
		{"path: encoded slash", f{}, path("/a%2Fb"), path("/a/b"), false},
		{"path: trailing slash", f{}, path("/a"), path("/a/"), false},
		{"path: case", f{}, path("/a"), path("/A"), false},
		{"path: no escape", f{}, path("/%7"), path("/%7E"), false},
		{"path: no hexadecimal", f{}, path("/%zz"), path("/%ZZ"), false},

		{"query: value", f{}, query("to=a"), query("to=b"), false},
		{"query: flag dropped", f{}, nothing, query("to=a"), false},
		{"query: name order", f{}, nothing, query("dry=1&to=a"), true},
		{"query: repeated order", f{}, query("a=1&a=2"), query("a=2&a=1"), false},
		{"query: repeated, among others", f{}, query("a=1&b=3&a=2"), query("b=3&a=1&a=2"), true},
		{"query: plus is a space", f{}, query("a=x+y"), query("a=x%20y"), true},
		{"query: percent case and unreserved", f{}, query("a=%c3%a9%7e"), query("%61=%C3%A9~"), true},
		{"query: framing", f{}, query("a=b%26c=d"), query("a=b&c=d"), false},
		{"query: equals sign inside", f{}, query("a%3Db=c"), query("a=b=c"), false},
		{"query: bare mark", f{}, query(""), query("&"), true},
		{"query: empty value", f{}, query("a"), query("a="), true},
		{"query: absent", f{}, query("a"), query(""), false},
		{"query: wrongly encoded is not its escape", f{}, query("a=%zz"), query("a=%25zz"), false},
		{"query: wrongly encoded", f{}, query("a=%zz"), query("a=%zy"), false},
		{"query: moved to the body", f{}, both(form("b=2"), query("a=1")), both(form("a=1&b=2"), query("")), false},
		{"query ignored", f{Query: "ignored"}, nothing, query("to=b"), true},
		{"query counts", f{Query: "counts"}, nothing, query("to=b"), false},

		{"volatile header", f{}, nothing, header("Traceparent", "00-2"), true},
		{"listed header", f{Headers: []string{"x-api-version"}}, nothing, header("X-Api-Version", "2026-01-01"), false},
		{"listed header dropped", f{Headers: []string{"X-Api-Version"}}, nothing, func(r *r) { r.Header = map[string][]string{"Content-Type": {asJSON}} }, false},
		{"listed header: white space around", f{Headers: []string{"X-Api-Version"}}, nothing, header("X-Api-Version", " 2025-01-01 "), true},
		{"listed header: lines are not joined", f{Headers: []string{"X-A"}}, header("X-A", "1", "2"), header("X-A", "12"), false},
		{"listed header in place of another", f{Headers: []string{"X-A", "X-B"}}, header("X-A", "1"), header("X-B", "1"), false},
		{"unlisted header", f{Headers: []string{"X-A"}}, nothing, header("X-Api-Version", "2026-01-01"), true},

		{"content type: charset", f{}, nothing, header("Content-Type", "application/json; charset=UTF-8"), true},
		{"content type: case", f{}, nothing, header("Content-Type", "Application/JSON"), true},
		{"content type: another charset", f{}, nothing, header("Content-Type", "application/json; charset=utf-16"), false},
		{"content type: text", f{}, nothing, header("Content-Type", "text/plain"), false},
		{"content type: vendor", f{}, nothing, header("Content-Type", "application/vnd.x+json"), false},
		{"content type: unreadable", f{}, header("Content-Type", "a/b; x"), header("Content-Type", "a/b; y"), false},
		{"content type: none", f{}, header("Content-Type", "text/plain"), header("Content-Type"), false},
		{"content type: parameter order", f{}, header("Content-Type", `multipart/x; a=1; b="2"`), header("Content-Type", `multipart/x; b=2; a=1`), true},

		{"parts: boundary", f{}, parts("a", pen, paper), parts("b", pen, paper), true},
		{"parts: boundary, by their bytes", f{Mode: "raw"}, parts("a", pen), parts("b", pen), false},
		{"parts: order of names", f{}, parts("a", pen, paper), parts("a", paper, pen), true},
		{"parts: header case", f{}, parts("a", pen), parts("a", strings.ToLower(pen)), true},
		{"parts: order within a name", f{}, parts("a", pen, pen+"2"), parts("a", pen+"2", pen), false},
		{"parts: content", f{}, parts("a", pen), parts("a", pen+"2"), false},
		{"parts: file name", f{}, parts("a", paper), parts("a", strings.Replace(paper, "a.txt", "b.txt", 1)), false},
		{"parts: type of a file", f{}, parts("a", paper), parts("a", strings.Replace(paper, "plain", "html", 1)), false},
		{"parts: a file or a field", f{}, parts("a", paper), parts("a", strings.Replace(paper, "; filename=a.txt", "", 1)), false},
		{"parts: none", f{}, both(parts("a"), body("x")), both(parts("a"), body("y")), false},

		{"body: member order and spelling", f{}, nothing, body(` {"note":null,"context":1.0,"tags":["a","b"],"amount":1.999e3,"title":"\u0074"}`), true},
		{"body: leaf", f{}, nothing, body(`{"title":"t","amount":2000,"tags":["a","b"],"context":1,"note":null}`), false},
		{"body: number beyond float64", f{}, body(`{"a":9007199254740992}`), body(`{"a":9007199254740993}`), false},
		{"body: array order", f{}, body(`{"tags":["a","b"]}`), body(`{"tags":["b","a"]}`), false},
		{"body: set", f{Sets: []string{"/tags"}}, body(`{"tags":["a","b"]}`), body(`{"tags":["b","a"]}`), true},
		{"body: set with an item more", f{Sets: []string{"/tags"}}, body(`{"tags":["a","b"]}`), body(`{"tags":["b","a","a"]}`), false},
		{"body: excluded", f{Exclude: []string{"/context"}}, body(`{"a":1,"context":1}`), body(`{"a":1,"context":2}`), true},
		{"body: excluded and absent", f{Exclude: []string{"/context"}}, body(`{"a":1,"context":1}`), body(`{"a":1}`), true},
		{"body: null and absent", f{}, body(`{"a":null}`), body(`{}`), false},
		{"body: null equals absent", f{Absence: "equal"}, body(`{"a":null}`), body(`{}`), true},
		{"body: null is no empty string", f{Absence: "equal"}, body(`{"a":null}`), body(`{"a":""}`), false},
		{"body: NFD", f{}, body("\"\u00e9\""), body("\"e\u0301\""), false},
		{"body: NFC declared", f{Normalisation: "nfc"}, body("\"\u00e9\""), body("\"e\u0301\""), true},
		{"body: empty", f{}, body(""), body("{}"), false},
		{"body: vendor JSON is JSON", f{}, both(header("Content-Type", "application/vnd.x+json"), body(`{"a":1,"b":2}`)), both(header("Content-Type", "application/vnd.x+json"), body(`{"b":2,"a":1}`)), true},
		{"body: text is bytes", f{}, both(header("Content-Type", "text/plain"), body(`{"a":1 }`)), both(header("Content-Type", "text/plain"), body(`{"a":1}`)), false},
		{"body: JSON text is not its text", f{}, both(header("Content-Type"), body(`1`)), body(`1`), false},

		{"form: name order", f{}, form("a=1&b=2"), form("b=2&a=1"), true},
		{"form: percent case, plus, over-encoded", f{}, form("a=%2f+%62"), form("%61=%2F%20b"), true},
		{"form: repeated", f{}, form("a=1"), form("a=1&a=1"), false},
		{"form: repeated order", f{}, form("a=1&a=2"), form("a=2&a=1"), false},
		{"form: encoded plus", f{}, form("a=1+2"), form("a=1%2B2"), false},

		{"raw: same", f{Mode: "raw"}, nothing, nothing, true},
		{"raw: white space", f{Mode: "raw"}, body(`{"a":1}`), body(`{"a": 1}`), false},
		{"raw: invalid JSON", f{Mode: "raw"}, body(`{`), body(`{`), true},
		{"raw: query order", f{Mode: "raw"}, nothing, query("dry=1&to=a"), false},
		{"raw: path case", f{Mode: "raw"}, path("/%2f"), path("/%2F"), false},
		{"raw: query ignored", f{Mode: "raw", Query: "ignored"}, nothing, query(""), true},
		{"raw: volatile header", f{Mode: "raw"}, nothing, header("Traceparent", "00-2"), true},
		{"none: everything changed", f{Mode: "none"}, nothing, func(r *r) { *r = fingerprint.Request{} }, true},
		{"semantic is what unspecified means", f{Mode: "semantic"}, body(`{"a":1,"b":2}`), body(`{"b":2,"a":1}`), true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			a, b := ticket(), ticket()
			tc.a(&a)
			tc.b(&b)
			if got := digestOf(t, tc.f, a) == digestOf(t, tc.f, b); got != tc.same {
				t.Errorf("equal digests: %v, expected %v", got, tc.same)
			}
		})
	}
}

func TestDigestsCarryTheirVersionAndAreStable(t *testing.T) {
	t.Parallel()
	got := digestOf(t, contract.Fingerprint{}, ticket())
	if !regexp.MustCompile(`^v1:[0-9a-f]{64}$`).MatchString(got) {
		t.Errorf("%s is no version and SHA-256", got)
	}
	const pinned = "v1:ccdcbe0a3e318d35212f8b934a4e1303dc975b1c087c79ea1184b1caf8e7bc47"
	if got != pinned {
		t.Errorf("found %s, expected %s: with other digests the records of a running API no longer match; raise Version", got, pinned)
	}
	modes := map[string]bool{}
	for _, mode := range contract.Allowed("fingerprint.mode") {
		modes[digestOf(t, contract.Fingerprint{Mode: mode}, fingerprint.Request{})] = true
	}
	if len(modes) != 3 {
		t.Errorf("expected other digests in every mode, found %v", modes)
	}
}

func TestABodyWithoutACanonicalFormHasNoDigest(t *testing.T) {
	t.Parallel()
	r := ticket()
	r.Body = []byte(`{"a":1,"a":2}`)
	digest, err := fingerprint.Of(contract.Fingerprint{}, r)
	var e *fingerprint.Error
	if digest != "" || !errors.As(err, &e) || e.Kind != fingerprint.DuplicateName || !strings.Contains(err.Error(), "byte 7") {
		t.Errorf("expected a duplicate at byte 7, found %q, %v", digest, err)
	}
}

func digestOf(t *testing.T, f contract.Fingerprint, r fingerprint.Request) string {
	t.Helper()
	digest, err := fingerprint.Of(f, r)
	if err != nil {
		t.Fatal(err)
	}
	return digest
}
