package run

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/oncespec/oncespec/mockapi/contract"
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/history/historytest"
	"github.com/oncespec/oncespec/scenarios/storm"
	"github.com/oncespec/oncespec/scenarios/target/config"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

func TestParseShard(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][2]int{"1/1": {1, 1}, "2/3": {2, 3}, "3/3": {3, 3}, "0/2": {}, "3/2": {}, "1": {}, "": {}, "a/b": {}, "1/0": {}, "-1/2": {}, "1/2/3": {}} {
		index, of, err := ParseShard(text)
		if (err == nil) != (want != [2]int{}) || index != want[0] || of != want[1] {
			t.Errorf("%q: found %d of %d, %v", text, index, of, err)
		}
	}
}

func FuzzParseShard(f *testing.F) {
	f.Add("2/3")
	f.Fuzz(func(t *testing.T, text string) {
		if index, of, err := ParseShard(text); err == nil && (index < 1 || index > of) {
			t.Errorf("%q is %d of %d", text, index, of)
		}
	})
}

// things is a configuration of two operations.
func things(t *testing.T) *config.Config {
	t.Helper()
	const op = "{request: {method: POST, path: /things, body: {t: x, n: 1}}, unique: [/t], effects: [{http: {get: /things, items: '$[*]', id: $.id}}]}"
	cfg, err := config.Parse("x.yaml", []byte("target: {url: 'http://127.0.0.1:1'}\noperations: {make: "+op+", take: "+op+"}\n"), nil)
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}

func divided(t *testing.T, sel Selection, seed uint64, index, of int) *Plan {
	t.Helper()
	p, err := NewPlan(things(t), sel, seed)
	if err == nil {
		err = p.Divide(index, of)
	}
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestShardsAreAPartition: every step is in one shard, and every shard has its share.
func TestShardsAreAPartition(t *testing.T) {
	t.Parallel()
	whole, err := NewPlan(things(t), Selection{}, 1)
	if err != nil {
		t.Fatal(err)
	}
	for of := 1; of <= 5; of++ {
		var all []string
		for index := 1; index <= of; index++ {
			p := divided(t, Selection{}, 1, index, of)
			if n := len(p.Steps); n < len(whole.Steps)/of || n > len(whole.Steps)/of+1 {
				t.Errorf("shard %d/%d has %d of %d steps", index, of, n, len(whole.Steps))
			}
			for _, s := range p.Steps {
				all = append(all, s.Name())
			}
		}
		slices.Sort(all)
		if len(slices.Compact(slices.Clone(all))) != len(whole.Steps) || len(all) != len(whole.Steps) {
			t.Errorf("%d shards have %d steps, the plan %d", of, len(all), len(whole.Steps))
		}
	}
	if err := whole.Divide(1, len(whole.Steps)+1); err == nil || !strings.Contains(err.Error(), "choose at most") {
		t.Errorf("more shards than steps: %v", err)
	}
}

// TestAShardJudgesWhatItHas: what others have too waits for them, what only others have is theirs.
func TestAShardJudgesWhatItHas(t *testing.T) {
	t.Parallel()
	seen := map[string]int{}
	waiting := 0
	for index := 1; index <= 3; index++ {
		p := divided(t, Selection{}, 1, index, 3)
		for _, v := range Judge(p, nil) {
			if strings.Contains(v.Detail, "merge the shards") {
				waiting++
				continue
			}
			seen[v.Name()+" "+v.Operations[0]]++
		}
	}
	for name, n := range seen {
		if n != 1 {
			t.Errorf("%s is judged by %d shards", name, n)
		}
	}
	if len(seen) == 0 || waiting == 0 {
		t.Errorf("%d judged, %d waiting", len(seen), waiting)
	}
}

// leave writes what a shard leaves: its plan, and a history of each step.
func leave(t *testing.T, p *Plan) (dir string) {
	t.Helper()
	dir = t.TempDir()
	if err := Prepare(dir); err != nil {
		t.Fatal(err)
	}
	var hs []*history.History
	for _, s := range p.Steps {
		b := historytest.New(s.Scenario)
		b.Answered(b.Intent(), "first", 201, "{}")
		h := b.History()
		h.ID, h.Operations = strings.NewReplacer("/", "-", " ", ".").Replace(s.Name()), []string{s.Operation}
		hs = append(hs, h)
	}
	steady := historytest.New("steady/state").History()
	steady.ID, steady.Operations, steady.Aborted = "steady-state.make", []string{"make"}, "x"
	for _, o := range []string{"make", "take"} {
		offers, _ := p.operation(o)
		p.learn(o, offers.Offers, offers.Missing)
	}
	if err := Save(dir, p, append(hs, steady)); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestMergeMakesThePlanWhole(t *testing.T) {
	t.Parallel()
	sel := Selection{Packs: []string{"lost", "replay"}}
	whole, err := NewPlan(things(t), sel, 7)
	if err != nil {
		t.Fatal(err)
	}
	two, one := leave(t, divided(t, sel, 7, 2, 2)), leave(t, divided(t, sel, 7, 1, 2))
	p, hs, err := Merge([]string{two, one})
	if err != nil {
		t.Fatal(err)
	}
	names := func(p *Plan) (all []string) {
		for _, s := range p.Steps {
			all = append(all, s.Name())
		}
		return all
	}
	if p.Shard != nil || len(p.ShardEnds) != 2 || p.Ended != "" || !slices.Equal(names(p), names(whole)) {
		t.Errorf("merged into %v of %v", names(p), names(whole))
	}
	steady := 0
	for _, h := range hs {
		if h.Scenario == "steady/state" {
			steady++
		}
	}
	if len(hs) != len(whole.Steps)+2 || steady != 2 {
		t.Errorf("%d histories, %d of the steady state", len(hs), steady)
	}
	merged := t.TempDir()
	if err := Prepare(merged); err != nil {
		t.Fatal(err)
	}
	if err := Save(merged, p, hs); err != nil {
		t.Fatal(err)
	}
	if _, again, err := Load(merged); err != nil || len(again) != len(hs) {
		t.Errorf("what was merged cannot be read again: %v", err)
	}
}

// TestAShardThatDiedIsToldApart: its rows are open, those of the other are not touched.
func TestAShardThatDiedIsToldApart(t *testing.T) {
	t.Parallel()
	sel := Selection{Packs: []string{"lost"}}
	dead := divided(t, sel, 7, 2, 2)
	dead.Ended = "the run was killed"
	one, two := leave(t, divided(t, sel, 7, 1, 2)), leave(t, dead)
	if err := os.RemoveAll(filepath.Join(two, historiesDir)); err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		dirs []string
		says string
	}{
		"killed":  {[]string{one, two}, "shard 2/2: the run was killed"},
		"missing": {[]string{one}, "shard 2/2 is missing"},
	} {
		p, hs, err := Merge(tc.dirs)
		if err != nil {
			t.Fatal(err)
		}
		open, others := 0, 0
		for _, v := range Judge(p, hs) {
			switch mine := slices.ContainsFunc(divided(t, sel, 7, 2, 2).Steps, func(s Step) bool { return s.Name() == v.ID+" "+v.Operations[0] }); {
			case mine && (v.Verdict != verdict.Inconclusive || v.Blame != verdict.Environment || !strings.Contains(v.Detail, tc.says)):
				t.Errorf("%s: %s on %s is %s: %s", name, v.ID, v.Operations, v.Verdict, v.Detail)
			case mine:
				open++
			case strings.Contains(v.Detail, "did not run"):
				t.Errorf("%s: %s on %s ran: %s", name, v.ID, v.Operations, v.Detail)
			default:
				others++
			}
		}
		if open == 0 || others == 0 {
			t.Errorf("%s: %d open, %d others", name, open, others)
		}
	}
}

// TestShardsShareTheURLButForPortsOnThisMachine, where each may have a target of its own.
func TestShardsShareTheURLButForPortsOnThisMachine(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{"http://127.0.0.1:8080", "http://127.0.0.1:8081", true},
		{"http://127.0.0.1:{port}", "http://localhost:80", true},
		{"http://[::1]:1/api", "http://127.0.0.1:1/api", true},
		{"http://127.0.0.1:8080", "https://127.0.0.1:8080", false},
		{"http://127.0.0.1:8080/v1", "http://127.0.0.1:8080/v2", false},
		{"http://${POD_IP}:8080", "http://${POD_IP}:8080", true},
		{"http://a.test", "http://b.test", false},
		{"http://a.test:8080", "http://a.test:8081", false},
		{"http://a.test", "http://127.0.0.1", false},
	} {
		if same := host(c.a) == host(c.b); same != c.same {
			t.Errorf("%s and %s: the same is %v, want %v", c.a, c.b, same, c.same)
		}
	}
}

// TestAMergedPlanCountsWhatEachShardDid: what was broken off, or is another shard's, is not done.
func TestAMergedPlanCountsWhatEachShardDid(t *testing.T) {
	t.Parallel()
	sel := Selection{Packs: []string{"lost"}}
	first, second := divided(t, sel, 7, 1, 2), divided(t, sel, 7, 2, 2)
	steps := len(first.Steps)
	second.Rerun, first.Rerun, second.Ended = []string{"oncespec", "run"}, []string{"oncespec", "run"}, "the run was interrupted"
	one, two := leave(t, first), leave(t, second)
	_, hs, err := Load(two)
	if err != nil {
		t.Fatal(err)
	}
	hs = slices.DeleteFunc(hs, func(h *history.History) bool { return h.Aborted != "" }) // the steady state's
	for _, h := range hs[:2] {
		h.Aborted = "its scenario was broken off: the run was interrupted"
		if err := write(filepath.Join(two, historiesDir, h.ID+".json"), h, ""); err != nil {
			t.Fatal(err)
		}
	}
	p, _, err := Merge([]string{one, two})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range [][2]int{{steps, steps}, {len(hs) - 2, len(hs)}} {
		if end := p.ShardEnds[i]; end.Done != want[0] || end.Of != want[1] {
			t.Errorf("shard %s did %d of %d, want %v", end.Shard, end.Done, end.Of, want)
		}
	}
	got := p.Missing(func(ShardEnd) string { return "again" })
	want := []string{"oncespec", "run", "--seed", "7", "--pack=lost", "--shard", "2/2", "--out", "again"}
	if len(got) != 1 || !slices.Equal(got[0], want) {
		t.Errorf("to complete it: %q, want %q", got, want)
	}
}

func TestWhatIsNoShardOfTheRunIsRefused(t *testing.T) {
	t.Parallel()
	sel := Selection{Packs: []string{"lost"}}
	one := leave(t, divided(t, sel, 7, 1, 2))
	whole, err := NewPlan(things(t), sel, 7)
	if err != nil {
		t.Fatal(err)
	}
	older := divided(t, sel, 7, 2, 2)
	older.Tool = "v0.0.1"
	strict := divided(t, sel, 7, 2, 2)
	strict.Strict = true
	elsewhere := divided(t, sel, 7, 2, 2)
	elsewhere.Shard.URL = host("http://staging.example.test:80/api")
	for name, tc := range map[string]struct {
		dirs []string
		says string
	}{
		"another seed":           {[]string{one, leave(t, divided(t, sel, 8, 2, 2))}, "the seed 7"},
		"another selection":      {[]string{one, leave(t, divided(t, Selection{Packs: []string{"lost", "key"}}, 7, 2, 2))}, "different plans"},
		"another number":         {[]string{one, leave(t, divided(t, sel, 7, 2, 3))}, "is shard 2/3"},
		"another version":        {[]string{one, leave(t, older)}, "by v0.0.1"},
		"another strictness":     {[]string{one, leave(t, strict)}, "with --strict, " + one + " without"},
		"another target":         {[]string{one, leave(t, elsewhere)}, "share target.url"},
		"the same shard":         {[]string{one, leave(t, divided(t, sel, 7, 1, 2))}, "are both shard 1/2"},
		"a run in one piece":     {[]string{leave(t, whole)}, "was not divided"},
		"a folder without a run": {[]string{t.TempDir()}, "holds no stored run"},
		"nothing":                {nil, "no folder"},
	} {
		if _, _, err := Merge(tc.dirs); err == nil || !strings.Contains(err.Error(), tc.says) {
			t.Errorf("%s: expected %q, found %v", name, tc.says, err)
		}
	}
	if _, _, err := Merge([]string{one, leave(t, divided(t, sel, 8, 2, 2))}); !errors.Is(err, ErrUnlike) {
		t.Errorf("found %v", err)
	}
}

// TestAnEditedPlanIsRefused: whatever one plan gives all its shards, with its place and what each has there.
func TestAnEditedPlanIsRefused(t *testing.T) {
	t.Parallel()
	sel := Selection{Packs: []string{"lost"}}
	one := leave(t, divided(t, sel, 7, 1, 2))
	for says, edit := range map[string]func(*Plan){
		`contract.mismatch.action differs`:          func(p *Plan) { p.Contract.Mismatch.Action = contract.ActionExecute },
		`contract.lifetime differs`:                 func(p *Plan) { p.Contract.Lifetime = time.Hour },
		`target differs`:                            func(p *Plan) { p.Target = "another" },
		`storm differs in the plan.json of`:         func(p *Plan) { p.Storm = &storm.Length{Operations: 90} },
		`operations[1].path differs`:                func(p *Plan) { p.Operations[1].Path = "/elsewhere" },
		`the length of checks differs`:              func(p *Plan) { p.Checks = p.Checks[:len(p.Checks)-1] },
		`the length of shard.steps differs`:         func(p *Plan) { p.Shard.Steps = p.Shard.Steps[:3] },
		`checks[0].requirement differs`:             func(p *Plan) { p.Checks[0].Requirement = "replay/one-effect" },
		`(nothing) and of`:                          func(p *Plan) { p.Storm = &storm.Length{Operations: 90} },
		`of different plans (shard.whole is`:        func(p *Plan) { p.Shard.Whole = "x" },
		`operations[0].method is "POST" in the one`: func(p *Plan) { p.Shard.Whole, p.Operations[0].Method = "x", "PUT" },
	} {
		edited := divided(t, sel, 7, 2, 2)
		edit(edited)
		if _, _, err := Merge([]string{one, leave(t, edited)}); !errors.Is(err, ErrUnlike) || !strings.Contains(err.Error(), says) {
			t.Errorf("expected %q, found %v", says, err)
		}
	}
}
