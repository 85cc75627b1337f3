package config_test

import (
	"strings"
	"testing"

	"github.com/oncespec/oncespec/scenarios/target/config"
)

// TestSettingsAreFound: by their path, with the file's own names or without, or by their last name.
func TestSettingsAreFound(t *testing.T) {
	t.Parallel()
	for typed, want := range map[string]string{
		"target.lifecycle":                         "target.lifecycle",
		"operations.NAME.vary":                     "operations.NAME.vary",
		"operations.create-ticket.vary":            "operations.NAME.vary",
		"operations.{create,close}.status":         "operations.NAME.status",
		"operations.create-ticket.vary./priority":  "operations.NAME.vary",
		"operations.vary":                          "operations.NAME.vary",
		"operations.create-ticket.effects[0].http": "operations.NAME.effects.http",
		"operations":                               "operations",
		"operations.create-ticket":                 "operations",
		"target.tenants.acme.renewed":              "target.tenants.NAME.renewed",
		"vary":                                     "operations.NAME.vary",
		"contract.key.encoding":                    "contract.key.encoding",
		"request":                                  "timeouts.request operations.NAME.request",
		"target.lifecicle":                         "",
		"":                                         "",
	} {
		var found []string
		for _, s := range config.Settings(typed) {
			found = append(found, s.Path)
		}
		if got := strings.Join(found, " "); got != want {
			t.Errorf("%q: expected %q, found %q", typed, want, got)
		}
	}
}

// TestSettingsSayWhatTheyTake: what the schema knows reaches people.
func TestSettingsSayWhatTheyTake(t *testing.T) {
	t.Parallel()
	vary := config.Settings("vary")[0]
	takes := map[string]string{}
	for _, f := range vary.Fields {
		takes[f.Name] = f.Takes
	}
	for name, want := range map[string]string{"type": "integer, number, string, boolean, object, array or any", "enum": "a list of anything", "min": "a number",
		"optional": "true or false", "values": "a mapping"} {
		if takes[name] != want {
			t.Errorf("vary.%s takes %q, expected %q", name, takes[name], want)
		}
	}
	if url := config.Settings("target.url")[0]; !url.Required || url.Takes != "text" {
		t.Errorf("target.url: %+v", url)
	}
	if len(config.SettingPaths()) < 100 {
		t.Errorf("%d settings", len(config.SettingPaths()))
	}
}
