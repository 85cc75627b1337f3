package secret_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/oncespec/oncespec/scenarios/target/secret"
)

func TestLine(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ line, want string }{
		{`    headers: {Authorization: Bearer hunter2, Accept: text/plain}`, `    headers: {Authorization: Bearer *******, Accept: text/plain}`},
		{`    Authorization: "Bearer hunter2"  # of acme`, `    Authorization: "Bearer *******"  # of acme`},
		{`    Authorization: "Bearer ${TOKEN}"`, `    Authorization: "Bearer ${TOKEN}"`},
		{`    Authorization: Bearer ${TOKEN`, `    Authorization: Bearer ${TOKEN`},
		{`    X-Api-Key: abc`, `    X-Api-Key: ***`},
		{`    "api_key": 'abc', b: c`, `    "api_key": '***', b: c`},
		{`    password: &p abc`, `    password: &p ***`},
		{`    token: {of: x}`, `    token: {of: x}`},
		{`    title: a token`, `    title: a token`},
		{`    path: /v1/hooks?token=abc&page=2`, `    path: /v1/hooks?token=***&page=2`},
		{`    path: /v1/hooks?token={key}`, `    path: /v1/hooks?token={key}`},
		{`    dsn: postgres://me:abc@127.0.0.1/db`, `    dsn: postgres://me:***@127.0.0.1/db`},
		{`    - sk_test_abcdefgh12`, `    - ******************`},
		{`    url: http://127.0.0.1:8080`, `    url: http://127.0.0.1:8080`},
		{`    X-Caller: mine`, `    X-Caller: ****`},
		{``, ``},
	} {
		if got := secret.Line(tc.line, "mine"); got != tc.want {
			t.Errorf("%s\nexpected %s\nfound    %s", tc.line, tc.want, got)
		}
	}
}

func FuzzLine(f *testing.F) {
	f.Add(`{"token": "a\"b", Authorization: Bearer é ${X}}`)
	f.Fuzz(func(t *testing.T, line string) {
		if strings.ContainsRune(line, utf8.RuneError) {
			t.Skip("no text")
		}
		if got := secret.Line(line); utf8.RuneCountInString(got) != utf8.RuneCountInString(line) {
			t.Errorf("%q has another length than %q", got, line)
		}
	})
}

func ExampleLine() {
	fmt.Println(secret.Line(`headers: {Authorization: "Bearer swordfish"}`))
	// Output: headers: {Authorization: "Bearer *********"}
}
