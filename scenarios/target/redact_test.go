package target

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/oncespec/oncespec/scenarios/target/config"
)

func someRedactor() *redactor {
	return newRedactor(&config.Config{
		Target: config.Service{Tenants: map[string]*config.Tenant{
			"acme": {Headers: map[string]string{"Authorization": "Bearer acme-secret-token", "X-Team": "acme"}, Renewed: map[string]string{"Authorization": "Basic dXNlcjpodW50ZXIyaHVudGVyMg=="}},
		}},
		Secrets: []string{`quo"ted/secret value`, "abc", "a<b&c/secret", "1001", "200000002", "true"},
	})
}

// TestRedactText: secrets go by value, in every spelling, and by the name of the member.
func TestRedactText(t *testing.T) {
	t.Parallel()
	r := someRedactor()
	tests := []struct{ name, text, want string }{
		{"plain", "nothing to see", "nothing to see"},
		{"whole header value", "got Bearer acme-secret-token.", "got [redacted]."},
		{"token alone", "got acme-secret-token-", "got [redacted]-"},
		{"basic password", "password hunter2hunter2", "password [redacted]"},
		{"escaped in JSON", `{"x":"quo\"ted/secret value"}`, `{"x":"[redacted]"}`},
		{"escaped in a URL", "/a?b=quo%22ted%2Fsecret+value", "/a?b=[redacted]"},
		{"escaped in JSON as PHP does", `{"x":"quo\"ted\/secret value"}`, `{"x":"[redacted]"}`},
		{"escaped in JSON as Go does", `{"x":"a\u003cb\u0026c/secret"}`, `{"x":"[redacted]"}`},
		{"in JSON as it is", `{"x":"a<b&c/secret"}`, `{"x":"[redacted]"}`},
		{"in HTML", `<p>a&lt;b&amp;c/secret</p>`, `<p>[redacted]</p>`},
		{"in base64", `{"x":"YTxiJmMvc2VjcmV0"}`, `{"x":"[redacted]"}`},
		{"a number in JSON stays a value", `{"account":1001,"n":[1001, 200000002]}`, `{"account":"[redacted]","n":["[redacted]", "[redacted]"]}`},
		{"a part of another number stays", `{"a":1001.5,"b":21001,"c":-1001,"d":1001e2,"e":2000000021}`, `{"a":1001.5,"b":21001,"c":-1001,"d":1001e2,"e":2000000021}`},
		{"a number in a text", "acct-1001 of /accounts/1001.", "acct-[redacted] of /accounts/[redacted]."},
		{"a long number in a word", "acct_200000002x and acct_1001x", "acct_[redacted]x and acct_1001x"},
		{"what JSON says itself is no secret", `{"live":true}`, `{"live":true}`},
		{"parameter of a URL in a text", "GET http://h/s/1?x=1&access_token=abc&y=2: failed", "GET http://h/s/1?x=1&access_token=[redacted]&y=2: failed"},
		{"short value alone", "team acme, and acmeology", "team [redacted], and acmeology"},
		{"too short a value", "abc", "abc"},
		{"member", `{"token":"t0ps3cret","n":1}`, `{"token":"[redacted]","n":1}`},
		{"member with separators", `{ "access_token" : "x" , "API-Key":"y" }`, `{ "access_token" : "[redacted]" , "API-Key":"[redacted]" }`},
		{"member with a number", `{"pin":1234}`, `{"pin":"[redacted]"}`},
		{"member with an object", `{"secret":{"a":"}","b":[1]},"c":2}`, `{"secret":"[redacted]","c":2}`},
		{"member with escapes", `{"password":"a\"b","c":2}`, `{"password":"[redacted]","c":2}`},
		{"null is no secret", `{"token":null}`, `{"token":null}`},
		{"cut in the value", `{"password":"hunt`, `{"password":"[redacted]"`},
		{"JSON inside of JSON", `{"log":"{\"password\":\"hunter\",\"n\":1}"}`, `{"log":"{\"password\":\"[redacted]\",\"n\":1}"}`},
		{"behind a stray quote", `error near " in {"password":"hunter"}`, `error near " in {"password":"[redacted]"}`},
		{"other names stay", `{"idempotency_key":"k","tokens":3}`, `{"idempotency_key":"k","tokens":3}`},
	}
	for _, tt := range tests {
		if got := r.text(tt.text); got != tt.want {
			t.Errorf("%s:\n got %s\nwant %s", tt.name, got, tt.want)
		}
	}
}

// TestRedactPlaces: header fields go by name, parameters too.
func TestRedactPlaces(t *testing.T) {
	t.Parallel()
	r := someRedactor()
	for _, name := range []string{"Authorization", "COOKIE", "set-cookie", "X-Api-Key", "x-team"} {
		if got := r.value(name, "anything"); got != redacted {
			t.Errorf("header %s: %s", name, got)
		}
	}
	if got := r.value("Location", "/t/1"); got != "/t/1" {
		t.Errorf("Location: %s", got)
	}
	if got, want := r.target("/a/acme-secret-token?api_key=s&b=1&password=x"), "/a/[redacted]?api_key=[redacted]&b=1&password=[redacted]"; got != want {
		t.Errorf("target: %s", got)
	}
	if got := r.wholeBody([]byte("user=me&password=hunter"), true); got.Text != "user=me&password=[redacted]" {
		t.Errorf("form: %s", got.Text)
	}
}

// TestPlainHeadersOfATenantStay: what a tenant's entry says of formats is no secret; rules read it in the answers.
func TestPlainHeadersOfATenantStay(t *testing.T) {
	t.Parallel()
	headers := map[string]string{"Content-Type": "application/json", "accept": "application/problem+json", "Authorization": "Bearer acme-secret-token"}
	r := newRedactor(&config.Config{
		Target:  config.Service{Tenants: map[string]*config.Tenant{"acme": {Headers: headers}}},
		Secrets: []string{"application/json", "application/problem+json", "Bearer acme-secret-token"},
	})
	for _, kind := range []string{"application/json", "application/problem+json"} {
		if got := r.value("Content-Type", kind); got != kind {
			t.Errorf("Content-Type: %s", got)
		}
	}
	if got := r.value("Authorization", "Bearer other"); got != redacted {
		t.Errorf("Authorization: %s", got)
	}
	if got := r.text("acme-secret-token"); got != redacted {
		t.Errorf("the token: %s", got)
	}
}

// TestRecordedBody: a bounded head is kept, and what describes the whole describes the whole.
func TestRecordedBody(t *testing.T) {
	t.Parallel()
	r := someRedactor()
	secret := "acme-secret-token"
	b := r.wholeBody([]byte(secret), false)
	if b.Text != redacted || b.Length != int64(len(secret)) || len(b.SHA256) != 64 || b.Truncated {
		t.Errorf("small: %+v", b)
	}
	if b := r.wholeBody(nil, false); b.Length != 0 || b.SHA256 != "" {
		t.Errorf("none: %+v", b)
	}
	if b := r.wholeBody([]byte{0xff, 0xfe, 'a'}, false); b.Text != "" || b.Base64 != "//5h" {
		t.Errorf("binary: %+v", b)
	}
	long := strings.Repeat("é", bodyHead) // twice as many bytes, and the head ends between two of them or not
	if b := r.wholeBody([]byte("x"+long), false); !b.Truncated || len(b.Text) > bodyHead || !utf8.ValidString(b.Text) || b.Text == "" {
		t.Errorf("long: %d bytes, truncated %v", len(b.Text), b.Truncated)
	}
	// The end of what was kept cuts the secret in two.
	head := strings.Repeat("x", bodyHead-5) + secret
	for cut := bodyHead - 5; cut <= len(head); cut++ {
		if b := r.body([]byte(head[:cut]), 1<<20, "sum", false); strings.Contains(b.Text, "acme-") {
			t.Errorf("cut after %d bytes: part of the secret is kept", cut)
		}
	}
}

func FuzzRedact(f *testing.F) {
	for _, seed := range []string{`{"password":"a"}`, `{\"token\":\"b`, `"secret":[{"a":`, "a=b&token=c", `\\"pin\\" : {`} {
		f.Add(seed)
	}
	r := someRedactor()
	f.Fuzz(func(t *testing.T, text string) {
		once := r.text(text)
		if strings.Contains(once, "acme-secret-token") {
			t.Errorf("a secret is left in %q", once)
		}
		r.target(text)
		r.wholeBody([]byte(text), true)
	})
}
