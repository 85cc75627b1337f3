package main_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/oncespec/oncespec/mockapi/contract"
)

// TestAProfileIsExplainedAsABlockToCopy: what is printed can be put into a configuration as it stands.
func TestAProfileIsExplainedAsABlockToCopy(t *testing.T) {
	t.Parallel()
	listed := oncespec(t, "list", "profiles").want(t, 0).out
	for _, name := range contract.Profiles() {
		if !strings.Contains(listed, "`oncespec explain "+name+"`") {
			t.Errorf("the list does not say how to see %s:\n%s", name, listed)
		}
		block := oncespec(t, "explain", name).want(t, 0).out
		if !strings.Contains(block, "\n  profile: "+name+"\n") || !strings.Contains(block, "\n  fidelity: ") {
			t.Errorf("%s is explained as:\n%s", name, block)
		}
		path := filepath.Join(t.TempDir(), "oncespec.yaml")
		text := strings.Replace(tickets("http://127.0.0.1:1"), "contract: {profile: ietf-07}\n", block, 1)
		if !strings.Contains(text, block) {
			t.Fatal("the configuration has no contract to replace")
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		oncespec(t, "plan", "-c", path).want(t, 0)
	}
}
