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

// TestWhateverHasANameIsExplained: what a report, a list or a schema names can be asked for.
func TestWhateverHasANameIsExplained(t *testing.T) {
	t.Parallel()
	for name, says := range map[string][]string{
		"race":                        {"pack race", "race/one-effect ", "oncespec run --pack race"},
		"check-then-insert":           {"5 ms later", "race/one-effect", "oncespec run --mutant check-then-insert --operation create-ticket"},
		"unique-index-missing":        {"PostgreSQL only", "oncespec mock --db postgres://"},
		"number/beyond-2^53":          {"(different)", "it is refused", "https://www.rfc-editor.org/rfc/rfc8259"},
		"target.lifecycle":            {"process", "container", "hooks"},
		"operations.put-label.vary":   {"setting operations.NAME.vary", "RE2", "?NAME for a"},
		"vary":                        {"setting operations.NAME.vary"},
		"status":                      {"pack status", "setting operations.NAME.status"},
		"lost/response":               {"https://datatracker.ietf.org/doc/html/draft-ietf-httpapi-idempotency-key-header-07"},
		"conflict/explained":          {"https://www.rfc-editor.org/rfc/rfc9457"},
		"contract.key.encoding":       {"structured-field", "opaque", "both"},
		"operations.{a,b}.effects":    {"http", "sql", "command"},
		"target.downstream.listen":    {"text, required"},
		"operations.x.effects[0].sql": {"driver", "postgres or sqlite, required"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := oncespec(t, "explain", name).want(t, 0)
			for _, text := range says {
				if !strings.Contains(e.out, text) {
					t.Errorf("it does not say %q:\n%s", text, e.out)
				}
			}
		})
	}
}

// TestListsAreListed: without an argument, with a sentence each; and each of them is there.
func TestListsAreListed(t *testing.T) {
	t.Parallel()
	all := oncespec(t, "list").want(t, 0).out
	for line := range strings.Lines(all) {
		words := strings.Fields(line)
		if len(words) < 4 || oncespec(t, "list", words[0]).want(t, 0).out == "" {
			t.Errorf("list says %q", line)
		}
	}
	for _, name := range []string{"requirements", "profiles", "rewrites", "mutants", "scenarios"} {
		if !strings.Contains(all, name) {
			t.Errorf("there is no %s in:\n%s", name, all)
		}
	}
}
