package main_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// What a run leaves in storms/ is played again: the failure comes back on the mutant, and the correct mock passes.
func TestReplay(t *testing.T) {
	t.Parallel()
	out := filepath.Join(t.TempDir(), "report")
	oncespec(t, "run", "--mutant", "fence-outlives-recovery", "--operation", "create-ticket", "-r", "lost/storm", "--out", out).want(t, 1)
	schedules, err := filepath.Glob(filepath.Join(out, "storms", "*", "schedule.json"))
	if err != nil || len(schedules) == 0 {
		t.Fatalf("no schedule was saved: %v", err)
	}
	again := filepath.Join(t.TempDir(), "again")
	played := oncespec(t, "replay", out, "--mutant", "fence-outlives-recovery", "--times", "1", "--out", again).want(t, 1)
	if !strings.Contains(played.out, "played 1 time: 1 fail") || !strings.Contains(oncespec(t, "judge", again).out, "played 1 time: 1 fail") {
		t.Errorf("it does not say what became of each play:\n%s", played.out)
	}
	if v := string(report(t, again).Verdicts); !strings.Contains(v, "lost/storm") || !strings.Contains(v, "duplicated") {
		t.Errorf("played again the verdict is %s", v)
	}
	oncespec(t, "judge", again).want(t, 1)
	e := oncespec(t, "replay", schedules[0], "--times", "1", "--out", filepath.Join(t.TempDir(), "well"), "--json").want(t, 0)
	var told struct {
		stored
		Plays []struct{ Verdict, History string }
	}
	if err := json.Unmarshal([]byte(e.out), &told); err != nil {
		t.Errorf("stdout is not JSON alone: %v\n%s", err, e.out)
	}
	if len(told.Plays) != 1 || told.Plays[0].Verdict != "pass" || told.Plays[0].History == "" {
		t.Errorf("report.json says of the plays: %+v", told.Plays)
	}
}

// A folder with several schedules: the smallest that failed is played, and the others are named; where none failed, all are.
func TestReplayOfAFolder(t *testing.T) {
	t.Parallel()
	out := filepath.Join(t.TempDir(), "report")
	oncespec(t, "run", "--operation", "create-ticket", "-r", "lost/storm", "--storm-operations", "41", "--out", out).want(t, 0)
	again := filepath.Join(t.TempDir(), "again")
	oncespec(t, "replay", out, "--out", again).want(t, 4).says(t, "2 schedules, none of which failed", "lost-storm.create-ticket.2/schedule.json  1 calls", "40 calls")
	oncespec(t, "replay", filepath.Dir(again), "--out", again).want(t, 4).says(t, "holds no stored run")

	// One that failed, by hand: what the second round's caller got is not what was done.
	path := filepath.Join(out, "histories", "lost-storm.create-ticket.json")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	edited := regexp.MustCompile(`"count":1`).ReplaceAll(text, []byte(`"count":2`))
	if err := os.WriteFile(path, edited, 0o644); err != nil {
		t.Fatal(err)
	}
	oncespec(t, "replay", out, "--times", "1", "--out", again).want(t, 0).says(t, "of 2 schedules this is the smallest that failed:\n  "+filepath.Join(out, "storms", "lost-storm.create-ticket", "schedule.json"), "the others:", "1 calls")
	if shown := oncespec(t, "replay", out, "--times", "1", "--out", again, "-q"); strings.Contains(shown.err, "smallest") {
		t.Errorf("-q still says %s", shown.err)
	}
}

// The length of a storm is a flag, shown by the plan and kept in it.
func TestStormLength(t *testing.T) {
	t.Parallel()
	out := filepath.Join(t.TempDir(), "report")
	oncespec(t, "run", "--operation", "create-ticket", "-r", "lost/storm", "--storm-operations", "50", "--out", out).want(t, 0)
	text, err := os.ReadFile(filepath.Join(out, "plan.json"))
	if err != nil {
		t.Fatal(err)
	}
	var plan struct{ Storm struct{ Operations int } }
	if err := json.Unmarshal(text, &plan); err != nil || plan.Storm.Operations != 50 {
		t.Errorf("the plan says %+v, %v", plan, err)
	}
	if rounds, _ := filepath.Glob(filepath.Join(out, "storms", "*", "schedule.json")); len(rounds) != 2 {
		t.Errorf("50 calls were %d rounds", len(rounds))
	}
	for _, c := range []struct{ flag, value, says string }{
		{"--storm-operations", "60000", "limits.objects"},
		{"--storm-for", "30m", "limits.duration"},
		{"--storm-operations", "-3", "0 or more"},
	} {
		oncespec(t, "plan", "-r", "lost/storm", c.flag+"="+c.value).want(t, 4).says(t, c.says)
		oncespec(t, "run", "-r", "lost/storm", c.flag+"="+c.value, "--out", filepath.Join(t.TempDir(), "x")).want(t, 4).says(t, c.says)
	}
	oncespec(t, "plan", "-r", "lost/reset", "--storm-operations", "90").want(t, 4).says(t, "lost/storm was not selected")
}

// Files that were cut short, come from another version or were edited end the command with their place, and nothing is started.
func TestExit4BrokenFiles(t *testing.T) {
	t.Parallel()
	out := filepath.Join(t.TempDir(), "report")
	oncespec(t, "run", "--operation", "create-ticket", "-r", "lost/storm", "--out", out).want(t, 0)
	const name = "lost-storm.create-ticket"
	schedule, plan, history := filepath.Join("storms", name, "schedule.json"), "plan.json", filepath.Join("histories", name+".json")
	replace := func(old, new string) func(string) string {
		return func(s string) string {
			if !strings.Contains(s, old) {
				t.Fatalf("there is no %s in it", old)
			}
			return strings.Replace(s, old, new, 1)
		}
	}
	half := func(s string) string { return s[:len(s)/2] }
	for what, c := range map[string]struct {
		file string
		edit func(string) string
		says []string
	}{
		"a truncated schedule":          {schedule, half, []string{"schedule.json:", "is it whole?"}},
		"a schedule of another version": {schedule, replace("oncespec.storm/v1", "oncespec.storm/v7"), []string{"schedule.json:2:", "oncespec.storm/v7", "oncespec.storm/v1"}},
		"an edited schedule":            {schedule, replace(`"client":1`, `"client":-1`), []string{"schedule.json:", "/calls/0/client", "found -1"}},
		"a schedule with a new word":    {schedule, replace(`"client":1`, `"clients":1`), []string{"schedule.json:", "/calls/0/clients", "no such field"}},
		"a schedule of another target":  {schedule, replace(`"create-ticket"`, `"create-tickt"`), []string{"schedule.json:3:15: /operation", `did you mean "create-ticket"?`}},
		"a kill that books too many":    {schedule, replace(`"booked":2`, `"booked":5`), []string{"schedule.json:", "/blows/1/booked", "found 5"}},
		"a number too many":             {schedule, replace(`"client":1,`, `"client":1,"client":1,`), []string{"schedule.json:6:", "/calls/0/client", "duplicate"}},
		"an empty schedule":             {schedule, func(string) string { return "" }, []string{"schedule.json:1:1", "empty"}},
		"a truncated plan":              {plan, half, []string{"plan.json:", "is it whole?"}},
		"a plan of another version":     {plan, replace("oncespec.plan/v1", "oncespec.plan/v7"), []string{"plan.json:2:", "oncespec.plan/v7"}},
		"an edited plan":                {plan, replace(`"requirement": "lost/storm"`, `"requirement": "storm"`), []string{"plan.json:", "/checks/0/requirement", `"storm"`}},
		"a truncated history":           {history, half, []string{name + ".json:1:", "is it whole?"}},
		"a history of another version":  {history, replace("oncespec.history/v1", "oncespec.history/v7"), []string{name + ".json:1:", "oncespec.history/v7"}},
		"a history with an event less":  {history, replace(`{"seq":2,`, `{"seq":9,`), []string{name + ".json:1:", "/events/1/seq", "found 9, expected 2"}},
		"an edited history":             {history, replace(`"outcome":"answered"`, `"outcome":"well"`), []string{name + ".json:1:", "/attempt/outcome", `"well"`}},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "copy")
			if err := os.CopyFS(dir, os.DirFS(out)); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(dir, c.file)
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(c.edit(string(text))), 0o644); err != nil {
				t.Fatal(err)
			}
			args := []string{"judge", dir}
			if c.file == schedule {
				args = []string{"replay", path, "--out", filepath.Join(t.TempDir(), "none")}
			}
			e := oncespec(t, args...).want(t, 4).says(t, c.says...)
			if e.out != "" {
				t.Errorf("stdout says %s", e.out)
			}
			if c.file == schedule {
				if _, err := os.Stat(args[3]); err == nil {
					t.Error("an output folder was made")
				}
			}
		})
	}
	oncespec(t, "replay", "nowhere.json").want(t, 4).says(t, "nowhere.json")
	oncespec(t, "replay", filepath.Join(out, schedule), "--times", "0").want(t, 4).says(t, "--times")
}
