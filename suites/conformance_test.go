package suites_test

import (
	"os"
	"testing"

	"github.com/onsi/ginkgo/v2"

	"github.com/oncespec/oncespec/scenarios/run"
	"github.com/oncespec/oncespec/scenarios/target/config"
	"github.com/oncespec/oncespec/suites"
)

// TestConformance is the conformance suite itself: against the built-in mock, or against the target of ONCESPEC_CONFIG.
//
//	ONCESPEC_CONFIG=$PWD/oncespec.yaml go test ./suites -run 'TestConformance$' -v
func TestConformance(t *testing.T) {
	t.Parallel()
	var selection run.Selection
	cfg := mock(t, "")
	if path := os.Getenv("ONCESPEC_CONFIG"); path != "" {
		var err error
		if cfg, err = config.Load(path); err != nil {
			t.Fatal(err)
		}
	} else if testing.Short() {
		selection.Packs = []string{"replay", "conflict", "failure"} // the others are run without Ginkgo
	}
	if _, err := suites.Register(suites.Options{Config: cfg, Selection: selection, AllowRemote: os.Getenv("ONCESPEC_ALLOW_REMOTE") == "1"}); err != nil {
		t.Fatal(err)
	}
	ginkgo.RunSpecs(t, "oncespec")
}
