package run

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/oncespec/oncespec/scenarios/history"
)

func TestWhatIsStoredIsReadBack(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := Prepare(dir); err != nil {
		t.Fatal(err)
	}
	p := &Plan{Schema: PlanSchema, Target: "t", Seed: 3, Checks: []Check{{Requirement: "lost/reset", Operation: "op"}}}
	h := made("lost/reset", "", 1, 2)
	if err := Save(dir, p, []*history.History{h}); err != nil {
		t.Fatal(err)
	}
	gotPlan, got, err := Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(p, gotPlan); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]*history.History{h}, got); diff != "" {
		t.Error(diff)
	}
	if err := Prepare(dir); err != nil {
		t.Fatal(err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, HistoriesDir, "*")); len(left) != 0 {
		t.Errorf("a second run would judge what the first left: %v", left)
	}
}

func TestBrokenFilesAreNamedWithThePlace(t *testing.T) {
	t.Parallel()
	h, _ := json.Marshal(made("lost/reset", "", 1, 1))
	name := made("lost/reset", "", 1, 1).ID + ".json"
	plan := `{"schema":"` + PlanSchema + `"}`
	for what, c := range map[string]struct {
		plan, history string
		want          []string
	}{
		"no plan":             {"", "", []string{"no stored run"}},
		"truncated plan":      {plan[:9], "", []string{"plan.json:1:", "whole?"}},
		"plan of a later day": {`{"schema":"oncespec.plan/v9"}`, "", []string{"plan.json", "oncespec.plan/v9", PlanSchema}},
		"wrong type":          {"{\n \"schema\": 7}", "", []string{"plan.json:2:", "number", "string"}},
		"truncated history":   {plan, string(h[:len(h)-5]), []string{name, "whole?"}},
		"other history":       {plan, `{"schema":"oncespec.history/v0"}`, []string{name, "oncespec.history/v0"}},
		"renamed history":     {plan, strings.Replace(string(h), `"id":"`, `"id":"x`, 1), []string{name, "renamed"}},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if err := Prepare(dir); err != nil {
				t.Fatal(err)
			}
			if c.plan != "" {
				put(t, filepath.Join(dir, "plan.json"), c.plan)
			}
			if c.history != "" {
				put(t, filepath.Join(dir, HistoriesDir, name), c.history)
			}
			_, _, err := Load(dir)
			if err == nil {
				t.Fatal("no error")
			}
			for _, w := range c.want {
				if !strings.Contains(err.Error(), w) {
					t.Errorf("%q does not say %q", err, w)
				}
			}
		})
	}
}

// Histories are written and read several at a time, and come back in order; of several broken ones the first is named.
func TestManyHistoriesKeepTheirOrder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := Prepare(dir); err != nil {
		t.Fatal(err)
	}
	var want []*history.History
	for n := range 50 {
		h := made("lost/reset", "", 1, 1)
		h.ID = fmt.Sprintf("lost-reset.op.%02d", n)
		want = append(want, h)
	}
	if err := Save(dir, &Plan{Schema: PlanSchema}, want); err != nil {
		t.Fatal(err)
	}
	_, got, err := Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for _, n := range []int{41, 17, 33} {
		put(t, filepath.Join(dir, HistoriesDir, want[n].ID+".json"), "{")
	}
	if _, _, err := Load(dir); err == nil || !strings.Contains(err.Error(), want[17].ID) {
		t.Errorf("the error is %v, want that of %s", err, want[17].ID)
	}
}

func FuzzLoad(f *testing.F) {
	h, _ := json.Marshal(made("lost/reset", "", 1, 1))
	f.Add([]byte(`{"schema":"`+PlanSchema+`","checks":[{"requirement":"lost/reset","operation":"op"}]}`), h)
	f.Add([]byte(`{`), []byte(`[]`))
	f.Fuzz(func(t *testing.T, plan, h []byte) {
		dir := t.TempDir()
		if err := Prepare(dir); err != nil {
			t.Fatal(err)
		}
		put(t, filepath.Join(dir, "plan.json"), string(plan))
		put(t, filepath.Join(dir, HistoriesDir, made("lost/reset", "", 1, 1).ID+".json"), string(h))
		if p, hs, err := Load(dir); err == nil {
			Judge(p, hs) // whatever was edited, judging ends without a panic
		}
	})
}

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestWhatIsNotOursIsLeftAlone: a folder of somebody's project may be named by mistake.
func TestWhatIsNotOursIsLeftAlone(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"plan.json", "report.json", "report.html", "report.md", "report.xml", "histories/mine.json"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			file := filepath.Join(dir, name)
			if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte(`{"mine": true}`), 0o644); err != nil {
				t.Fatal(err)
			}
			if err := Prepare(dir); err == nil || !strings.Contains(err.Error(), name) {
				t.Errorf("expected an error that names %s, found %v", name, err)
			}
			if left, err := os.ReadFile(file); err != nil || string(left) != `{"mine": true}` {
				t.Errorf("the file was touched: %q, %v", left, err)
			}
		})
	}
	dir := filepath.Join(t.TempDir(), "a[b]*")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "notes.txt"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for range 2 { // what else is in the folder is no hindrance, and neither is what an earlier run left
		if err := Prepare(dir); err != nil {
			t.Fatal(err)
		}
		if err := Save(dir, &Plan{Schema: PlanSchema}, []*history.History{made("lost/reset", "", 1, 1)}); err != nil {
			t.Fatal(err)
		}
	}
	if _, hs, err := Load(dir); err != nil || len(hs) != 1 {
		t.Errorf("expected the history back, found %d, %v", len(hs), err)
	}
	if Prepare("") == nil {
		t.Error("a folder without a name was taken")
	}
}
