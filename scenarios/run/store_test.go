package run

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/history/historytest"
	"github.com/oncespec/oncespec/scenarios/storm"
)

func TestWhatIsStoredIsReadBack(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := Prepare(dir); err != nil {
		t.Fatal(err)
	}
	p := aPlan()
	p.Target, p.Seed, p.Contract.Lifetime = "t", 3, time.Hour
	h, stormy := made("lost/reset", "", 1, 2), made("lost/storm", "", 1, 1)
	stormy.Storm = &history.Storm{Schedule: storm.Draw(storm.Options{Operation: "op", Seed: 3, Calls: 9, Clients: 3, Kill: true}), Failed: 2, Plays: 3}
	if err := Save(dir, p, []*history.History{h, stormy}); err != nil {
		t.Fatal(err)
	}
	schedule, err := ReadSchedule(filepath.Join(dir, StormsDir, stormy.ID, "schedule.json"))
	if diff := cmp.Diff(stormy.Storm.Schedule, schedule); diff != "" || err != nil {
		t.Error(diff, err)
	}
	gotPlan, got, err := Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(p, gotPlan); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]*history.History{h, stormy}, got); diff != "" {
		t.Error(diff)
	}
	if err := Prepare(dir); err != nil {
		t.Fatal(err)
	}
	for _, glob := range []string{filepath.Join(historiesDir, "*"), filepath.Join(StormsDir, "*", "*")} {
		if left, _ := filepath.Glob(filepath.Join(dir, glob)); len(left) != 0 {
			t.Errorf("a second run would find what the first left: %v", left)
		}
	}
}

// aPlan has something to judge.
func aPlan() *Plan {
	return &Plan{Schema: PlanSchema, Operations: []PlanOperation{{Name: "op"}}, Checks: []Check{{Requirement: "lost/reset", Operation: "op"}}}
}

func TestBrokenFilesAreNamedWithThePlace(t *testing.T) {
	t.Parallel()
	told := historytest.New("lost/reset")
	in := told.Intent()
	told.Lost(in, "first")
	told.Answered(in, "retry", 201, `{}`)
	h, _ := json.Marshal(told.History())
	name := told.History().ID + ".json"
	text, _ := json.MarshalIndent(aPlan(), "", " ")
	plan := string(text)
	edit := func(text, old, new string) string {
		if !strings.Contains(text, old) {
			t.Fatalf("there is no %s in %s", old, text)
		}
		return strings.Replace(text, old, new, 1)
	}
	for what, c := range map[string]struct {
		plan, history string
		want          []string
	}{
		"no plan":              {"", "", []string{"no stored run"}},
		"truncated plan":       {plan[:9], "", []string{"plan.json:2:", "whole?"}},
		"plan of a later day":  {`{"schema":"oncespec.plan/v9"}`, "", []string{"plan.json", "oncespec.plan/v9", PlanSchema}},
		"wrong type":           {"{\n \"schema\": 7}", "", []string{"plan.json:2:", "number", "string"}},
		"truncated history":    {plan, string(h[:len(h)-5]), []string{name, "whole?"}},
		"other history":        {plan, `{"schema":"oncespec.history/v0"}`, []string{name, "oncespec.history/v0"}},
		"plan without checks":  {`{"schema":"` + PlanSchema + `"}`, "", []string{"plan.json:1:", "/checks", "nothing to judge"}},
		"plan of another run":  {edit(plan, `"operation": "op"`, `"operation": "other"`), "", []string{"plan.json:", "/checks/0/operation", `"other"`}},
		"plan with a new word": {edit(plan, `"seed"`, `"seeds"`), "", []string{"plan.json:", "/seeds", "no such field"}},
		"no requirement's id":  {edit(plan, `lost/reset`, `lost`), "", []string{"plan.json:", "/checks/0/requirement"}},
		"edited history":       {plan, edit(string(h), `"outcome":"lost"`, `"outcome":"fine"`), []string{name + ":1:", "/events/0/attempt/outcome", `"fine"`, "edited?"}},
		"an event is missing":  {plan, edit(string(h), `"seq":2`, `"seq":3`), []string{name + ":1:", "/events/1/seq"}},
		"two histories in one": {plan, string(h) + string(h), []string{name + ":1:", "no valid JSON"}},
		"renamed history":      {plan, strings.Replace(string(h), `"id":"`, `"id":"x`, 1), []string{name, "renamed"}},
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
				put(t, filepath.Join(dir, historiesDir, name), c.history)
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
	if err := Save(dir, aPlan(), want); err != nil {
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
		put(t, filepath.Join(dir, historiesDir, want[n].ID+".json"), "{")
	}
	if _, _, err := Load(dir); err == nil || !strings.Contains(err.Error(), want[17].ID) {
		t.Errorf("the error is %v, want that of %s", err, want[17].ID)
	}
}

func FuzzLoad(f *testing.F) {
	h, _ := json.Marshal(made("lost/reset", "", 1, 1))
	f.Add([]byte(`{"schema":"`+PlanSchema+`","operations":[{"name":"op"}],"checks":[{"requirement":"lost/reset","operation":"op"}]}`), h)
	f.Add([]byte(`{"schema":"`+PlanSchema+`","operations":[{"name":"op"}],"checks":[{"requirement":"lost/storm","operation":"op"}]}`),
		[]byte(strings.NewReplacer("lost/reset", "lost/storm", `"events":`, `"storm":{"schedule":{"schema":"oncespec.storm/v1","operation":"op","seed":1,"calls":[{"client":1,"intent":1}]}},"events":`).Replace(string(h))))
	f.Add([]byte(`{`), []byte(`[]`))
	f.Fuzz(func(t *testing.T, plan, h []byte) {
		dir := t.TempDir()
		if err := Prepare(dir); err != nil {
			t.Fatal(err)
		}
		put(t, filepath.Join(dir, "plan.json"), string(plan))
		put(t, filepath.Join(dir, historiesDir, made("lost/reset", "", 1, 1).ID+".json"), string(h))
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
		if err := Save(dir, aPlan(), []*history.History{made("lost/reset", "", 1, 1)}); err != nil {
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
