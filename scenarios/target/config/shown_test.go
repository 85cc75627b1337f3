package config

import (
	"strings"
	"testing"
)

// TestNoSecretIsQuoted: an error shows the line that is wrong, and goes into the logs of a build.
func TestNoSecretIsQuoted(t *testing.T) {
	t.Parallel()
	const operation = "operations: {a: {request: {method: POST, path: /a, body: {x: 1}}}}\n"
	for name, file := range map[string]string{
		"an unknown field beside a credential": "target: {url: 'http://127.0.0.1', tenants: {a: {headers: {Authorization: Bearer swordfish}, heders: {}}}}\n" + operation,
		"a field whose name says nothing":      "target:\n  url: 'http://127.0.0.1'\n  tenants:\n    a: {headers: {X-Caller: swordfish}, heders: {}}\n" + operation,
		"the value itself is wrong":            "target: {url: 'http://127.0.0.1', tenants: {a: {headers: {X-Caller: \"swordfish\\n\"}}}}\n" + operation,
		"no YAML":                              "target: {url: 'http://127.0.0.1', tenants: {a: {headers: {Authorization: Bearer swordfish}\n" + operation,
		"a password in a database's address":   "target: {url: 'http://127.0.0.1'}\noperations: {a: {request: {method: POST, path: /a}, effects: [{sql: {driver: postgres, dsn: 'postgres://u:swordfish@127.0.0.1/x', querry: select 1}}]}}\n",
		"a parameter of a path":                "target: {url: 'http://127.0.0.1'}\noperations: {a: {request: {methd: POST, path: '/a?token=swordfish'}}}\n",
		"a member of a body":                   "target: {url: 'http://127.0.0.1'}\noperations: {a: {request: {methd: POST, path: /a, body: {password: swordfish}}}}\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := Parse("x.yaml", []byte(file), func(string) (string, bool) { return "", false })
			if err == nil {
				t.Fatal("the file is wrong")
			}
			if strings.Contains(err.Error(), "swordfish") {
				t.Errorf("found %v", err)
			}
		})
	}
}

func TestAMarkOfTheEncodingIsNoContent(t *testing.T) {
	t.Parallel()
	if _, err := Parse("x.yaml", []byte("\uFEFFtarget: {url: 'http://127.0.0.1'}\noperations: {a: {request: {method: POST, path: /a}}}\n"), nil); err != nil {
		t.Error(err)
	}
}

func TestALineIsShownWithoutWhatTurnsIt(t *testing.T) {
	t.Parallel()
	_, err := Parse("x.yaml", []byte("targett: {url: 'http://127.0.0.1'} # \u202e\x1b[2J\n"), nil)
	if err == nil || strings.ContainsAny(err.Error(), "\u202e\x1b") {
		t.Errorf("found %q", err)
	}
}
