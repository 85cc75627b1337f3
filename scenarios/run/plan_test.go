package run

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/oncespec/oncespec/scenarios/target/config"
)

// TestAPlanHoldsNoSecret: it is printed, and kept beside the report.
func TestAPlanHoldsNoSecret(t *testing.T) {
	t.Parallel()
	cfg, err := config.Parse("x.yaml", []byte(`
target: {url: 'http://127.0.0.1:1', tenants: {a: {headers: {X-Caller: swordfish-1}}}}
operations:
  make: {request: {method: POST, path: '/swordfish-1/things?token=swordfish-2&page=2', headers: {Authorization: Bearer swordfish-3}, body: {password: swordfish-4}}}
`), nil)
	if err != nil {
		t.Fatal(err)
	}
	p, err := NewPlan(cfg, Selection{}, 1)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(p)
	if err != nil || strings.Contains(string(text), "swordfish") || !strings.Contains(string(text), "page=2") {
		t.Errorf("%v: found %s", err, p.Operations[0].Path)
	}
}
