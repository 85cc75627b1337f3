package run

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/oncespec/oncespec/scenarios/catalogue"
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

// TestWithoutALifecycleOneIsMissing: whoever has none is not told to add a hook to it.
func TestWithoutALifecycleOneIsMissing(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		offers []catalogue.Need
		need   catalogue.Need
		says   string
	}{
		"none, to stop":             {nil, catalogue.NeedStop, "add target.lifecycle (process, container or hooks)"},
		"none, to pause":            {nil, catalogue.NeedPause, "add target.lifecycle (process, container or hooks)"},
		"hooks that cannot stop":    {[]catalogue.Need{catalogue.NeedLifecycle}, catalogue.NeedStop, "add target.lifecycle.hooks.stop"},
		"hooks that cannot pause":   {[]catalogue.Need{catalogue.NeedLifecycle}, catalogue.NeedPause, "add target.lifecycle.hooks.pause and resume"},
		"none, to see what is left": {nil, catalogue.NeedLifecycle, "add target.lifecycle (process, container or hooks)"},
	} {
		p := Plan{Operations: []PlanOperation{{Name: "make", Offers: tc.offers}}}
		if why := p.lacks("make", []catalogue.Need{tc.need}); !strings.HasSuffix(why, tc.says) {
			t.Errorf("%s: %s", name, why)
		}
	}
}
