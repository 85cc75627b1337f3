package config_test

import (
	"strings"
	"testing"

	"github.com/oncespec/oncespec/scenarios/target/config"
)

// TestZeroIsNoDefault: what would be taken for left out, and is not, is refused with what leaving it out means.
func TestZeroIsNoDefault(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"timeouts: {request: 0s}":   "timeouts.request: found no time at all, expected more, or nothing here for the default of 5s",
		"timeouts: {settle: 0s}":    "timeouts.settle: found no time at all, expected more, or nothing here for the default of 300ms",
		"timeouts: {recovery: 0ms}": "for the default of 10s",
		"limits: {duration: 0m}":    "for the default of 10m",
		"limits: {objects: 0}":      "limits.objects: found the number 0, expected at least 1",
		"limits: {kills: 0}":        "limits.kills: found the number 0, expected at least 1",
		"limits: {rate: 0}":         "",
		"timeouts: {}":              "",
	} {
		_, err := config.Parse("x.yaml", []byte(write("unique: [/t]")+line+"\n"), environment)
		switch {
		case want == "" && err != nil:
			t.Errorf("%s: %v", line, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%s: expected %q, found %v", line, want, err)
		}
	}
	hooks := around("target: {url: 'http://127.0.0.1:1', lifecycle: {hooks: {kill: x, within: 0s, ready: {within: 0s}}}}")
	if _, err := config.Parse("x.yaml", []byte(hooks), environment); err == nil || strings.Count(err.Error(), "found no time at all") != 2 || !strings.Contains(err.Error(), "default of 1m") {
		t.Errorf("hooks: %v", err)
	}
}
