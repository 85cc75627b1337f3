package suites_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/oncespec/oncespec/scenarios/catalogue"
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/run"
	"github.com/oncespec/oncespec/scenarios/target/config"
	"github.com/oncespec/oncespec/scenarios/verdict"
	"github.com/oncespec/oncespec/suites"
)

// told is what a verdict comes to, without the words, which name what each run made. Which phases a sweep of kills hits is left to
// chance, whether an operation that nothing holds up is at work when the target is asked to end, and how well it is seen that
// requests met.
func told(v verdict.Verdict) string {
	chance := v.ID == "crash/sweep" || v.ID == "crash/graceful-stop" && v.Operations[0] == "close-ticket"
	if chance && (v.Verdict == verdict.Pass || v.Verdict == verdict.NotAssessed) {
		return "not broken"
	}
	if strings.HasPrefix(v.ID, "race/") {
		v.Proof = ""
	}
	return strings.TrimSpace(fmt.Sprint(v.Level, " ", v.Verdict, " ", v.Proof, " ", v.Blame))
}

// TestShardsMergeIntoTheWhole: what two shards come to together is what one run does.
func TestShardsMergeIntoTheWhole(t *testing.T) {
	t.Parallel()
	for mutant, sel := range map[string]run.Selection{
		"":                   {Operations: []string{"create-ticket", "close-ticket"}},
		"mismatch-replays":   {Operations: []string{"create-ticket"}},
		"replay-answers-200": {Operations: []string{"create-ticket"}},
	} {
		t.Run("mock "+mutant, func(t *testing.T) {
			t.Parallel()
			if testing.Short() && mutant != "mismatch-replays" {
				t.Skip("one is enough for a short run")
			}
			whole := map[string]string{}
			for _, v := range execute(t, mutant, sel, "", t.TempDir()) {
				whole[v.Name()+" on "+v.Operations[0]] = told(v)
			}
			var dirs []string
			for i := range 2 {
				dirs = append(dirs, filepath.Join(t.TempDir(), fmt.Sprint("shard-", i+1)))
				execute(t, mutant, sel, fmt.Sprintf("%d/2", i+1), dirs[i])
			}
			plan, histories, err := run.Merge(dirs)
			if err != nil {
				t.Fatal(err)
			}
			merged := run.Judge(plan, histories)
			for _, v := range merged {
				name := v.Name() + " on " + v.Operations[0]
				if want, there := whole[name]; !there || told(v) != want {
					t.Errorf("%s: merged %q (%s), in one run %q", name, told(v), v.Detail, want)
				}
			}
			if len(merged) != len(whole) {
				t.Errorf("merged %d verdicts, in one run %d", len(merged), len(whole))
			}
		})
	}
}

// execute runs the built-in mock or a mutant, and returns the verdicts.
func execute(t *testing.T, mutant string, sel run.Selection, shard, out string) []verdict.Verdict {
	t.Helper()
	report := finished(t, suites.Options{Config: mock(t, mutant), Selection: sel, Seed: 42, Shard: shard, Out: out})
	if report.Shard != shard {
		t.Errorf("the report is of shard %q, want %q", report.Shard, shard)
	}
	return report.Verdicts
}

// TestKillsInOneShardDisturbNoOther: two shards run beside one another, each of which kills its target again and again while the
// other one races and is killed on its own.
func TestKillsInOneShardDisturbNoOther(t *testing.T) {
	t.Parallel()
	packs := []string{"crash", "race"}
	var both sync.WaitGroup
	dirs := []string{filepath.Join(t.TempDir(), "shard-1"), filepath.Join(t.TempDir(), "shard-2")}
	kills, bursts := make([]int, len(dirs)), make([]int, len(dirs))
	for i, out := range dirs {
		both.Go(func() {
			execute(t, "", run.Selection{Packs: packs, Operations: []string{"create-ticket"}}, fmt.Sprintf("%d/2", i+1), out)
			_, histories, err := run.Load(out)
			if err != nil {
				t.Error(err)
			}
			for _, h := range histories {
				bursts[i] += len(h.Bursts(""))
				for _, f := range h.Faults(history.FaultKill) {
					if f.Landed {
						kills[i]++
					}
				}
			}
		})
	}
	both.Wait()
	if kills[0] == 0 || bursts[1] == 0 || kills[1] == 0 || bursts[0] == 0 {
		t.Errorf("%v kills landed beside %v bursts in the other one", kills, bursts)
	}
	plan, histories, err := run.Merge(dirs)
	if err != nil {
		t.Fatal(err)
	}
	passed := map[string]bool{}
	for _, v := range run.Judge(plan, histories) {
		passed[v.ID] = passed[v.ID] || v.Verdict == verdict.Pass
		if v.Verdict != verdict.Pass && v.Verdict != verdict.NotAssessed {
			t.Errorf("%s %s: %s", v.Verdict, v.Name(), v.Detail)
		}
	}
	for _, r := range catalogue.All() {
		if slices.Contains(packs, r.Pack()) && !slices.Contains(behindStoreLink(), r.ID) && !passed[r.ID] {
			t.Errorf("%s did not pass", r.ID)
		}
	}
}

// TestLimitsAreThoseOfAllShards: several shards do no more to a target that they share than one run does.
func TestLimitsAreThoseOfAllShards(t *testing.T) {
	t.Parallel()
	const rest = "limits: {rate: 60, objects: 1}\noperations: {make: {request: {method: POST, path: /things}}}\n"
	for file, want := range map[string][2]int{
		"target: {url: 'http://127.0.0.1:1'}\n" + rest:                                            {20, 1},
		"target: {url: 'http://127.0.0.1:{port}', lifecycle: {process: {command: [x]}}}\n" + rest: {60, 1},
	} {
		cfg, err := config.Parse("x.yaml", []byte(file), nil)
		if err != nil {
			t.Fatal(err)
		}
		if suites.Share(cfg, 3); cfg.Limits.Rate != want[0] || cfg.Limits.Objects != want[1] {
			t.Errorf("%s: found %+v", file, cfg.Limits)
		}
	}
}

func TestMayShare(t *testing.T) {
	t.Parallel()
	const op = "operations: {make: {request: {method: POST, path: /things, body: {t: x}}%s}}\n"
	marked := fmt.Sprintf(op, ", unique: [/t]")
	for name, tc := range map[string]struct{ file, says string }{
		"a target of its own":             {"target: {url: 'http://127.0.0.1:{port}', lifecycle: {process: {command: [x]}}, downstream: {listen: '127.0.0.1:0'}}\n" + marked, ""},
		"one at a fixed port":             {"target: {url: 'http://127.0.0.1:8080', lifecycle: {process: {command: [x]}}}\n" + marked, "target.url has a fixed port"},
		"a stand-in at a fixed port":      {"target: {url: 'http://127.0.0.1:{port}', lifecycle: {process: {command: [x]}}, downstream: {listen: '127.0.0.1:9099'}}\n" + marked, "target.downstream.listen has a fixed port"},
		"a shared one":                    {"target: {url: 'http://127.0.0.1:8080'}\n" + marked, ""},
		"a shared one that can be killed": {"target: {url: 'http://127.0.0.1:8080', lifecycle: {hooks: {kill: x}}}\n" + marked, "would end it for all"},
		"a shared one with a clock":       {"target: {url: 'http://127.0.0.1:8080', clock: {command: 'x {duration}'}}\n" + marked, "would move its time for all"},
		"a shared one with a stand-in":    {"target: {url: 'http://127.0.0.1:8080', downstream: {listen: '127.0.0.1:9099'}}\n" + marked, "in one of them only"},
		"a shared one that is counted":    {"target: {url: 'http://127.0.0.1:8080'}\n" + fmt.Sprintf(op, ", effects: [{value: {get: /n, at: $.n}}]"), "isolate: exclusive"},
	} {
		cfg, err := config.Parse("x.yaml", []byte(tc.file), nil)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if err := suites.MayShare(cfg); (err == nil) != (tc.says == "") || err != nil && !strings.Contains(err.Error(), tc.says) {
			t.Errorf("%s: expected %q, found %v", name, tc.says, err)
		}
	}
}
