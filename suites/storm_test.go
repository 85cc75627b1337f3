package suites_test

import (
	"fmt"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/oncespec/oncespec/reports"
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/run"
	"github.com/oncespec/oncespec/scenarios/storm"
	"github.com/oncespec/oncespec/scenarios/target/config"
	"github.com/oncespec/oncespec/scenarios/verdict"
	"github.com/oncespec/oncespec/suites"
)

// stormed plays a storm on create-ticket of the built-in mock, or of a mutant, and returns what was stored.
func stormed(t *testing.T, mutant string, o storm.Order) (*reports.Report, string) {
	t.Helper()
	return stormedAt(t, mock(t, mutant), o)
}

func stormedAt(t *testing.T, cfg *config.Config, o storm.Order) (*reports.Report, string) {
	t.Helper()
	out := t.TempDir()
	return finished(t, suites.Options{Config: cfg, Out: out, Storm: o, Seed: 11,
		Selection: run.Selection{Requirements: []string{"lost/storm"}, Operations: []string{"create-ticket"}}}), out
}

// one is the only verdict.
func one(t *testing.T, vs []verdict.Verdict, want verdict.Outcome) verdict.Verdict {
	t.Helper()
	if len(vs) != 1 || vs[0].Verdict != want {
		t.Fatalf("expected one verdict, %q; found %+v", want, vs)
	}
	return vs[0]
}

// TestEveryFaultOfAStormLands plays storms that suffer one thing each. All of them pass with proof; without that proof, the
// same histories are inconclusive.
func TestEveryFaultOfAStormLands(t *testing.T) {
	t.Parallel()
	suffering := func(f storm.Fault) *storm.Schedule {
		s := &storm.Schedule{Schema: storm.Schema, Operation: "create-ticket", Seed: 5}
		for i := range 9 {
			c := storm.Call{Client: i%3 + 1, Intent: i/2 + 1}
			if f.Kind != storm.None {
				c.Faults = []storm.Fault{f}
			}
			s.Calls = append(s.Calls, c)
		}
		return s
	}
	struck := func(b storm.Blow) *storm.Schedule {
		s := suffering(storm.Fault{Kind: storm.None})
		s.Blows = []storm.Blow{b}
		return s
	}
	// The kill takes the attempts that were to be cut; those that follow are.
	taken := suffering(storm.Fault{Kind: storm.Cut, Bytes: 9})
	taken.Blows = []storm.Blow{{Kind: storm.Kill, Attempt: 3, Held: 2}}
	for i := range taken.Calls[3:] {
		taken.Calls[3+i].Faults = nil
	}
	strip := func(change func(*history.Link)) func(*history.History) {
		return func(h *history.History) {
			for _, a := range h.Attempts("call") {
				change(&a.Link)
			}
		}
	}
	missed := func(kind string) func(*history.History) {
		return func(h *history.History) {
			for _, f := range h.Faults(kind) {
				f.Landed = false
			}
		}
	}
	for name, c := range map[string]struct {
		schedule *storm.Schedule
		unproven func(*history.History)
	}{
		"drop":                {suffering(storm.Fault{Kind: storm.Drop}), strip(func(l *history.Link) { l.ResponseBytes = 0 })},
		"cut":                 {suffering(storm.Fault{Kind: storm.Cut, Bytes: 60}), strip(func(l *history.Link) { l.Cut = false })},
		"reset":               {suffering(storm.Fault{Kind: storm.Reset}), strip(func(l *history.Link) { l.ForwardedBytes = 9 })},
		"gateway":             {suffering(storm.Fault{Kind: storm.Gateway, Status: 504}), strip(func(l *history.Link) { l.RequestWhole = false })},
		"delay":               {suffering(storm.Fault{Kind: storm.Delay, Attempts: 2}), strip(func(l *history.Link) { l.Held = false })},
		"kill":                {struck(storm.Blow{Kind: storm.Kill, Attempt: 4, Held: 2}), missed("kill")},
		"kill, not restarted": {struck(storm.Blow{Kind: storm.Kill, Attempt: 4, Held: 2}), missed("restart")},
		"cut, once killed":    {taken, strip(func(l *history.Link) { l.Cut = false })},
		"pause":               {struck(storm.Blow{Kind: storm.Pause, Attempt: 4}), missed("pause")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			report, out := stormed(t, "", storm.Order{Schedule: c.schedule, Times: 1})
			if v := one(t, report.Verdicts, verdict.Pass); v.Proof != verdict.Strong {
				t.Errorf("proof %s: %s", v.Proof, v.Detail)
			}
			plan, hs, err := run.Load(out)
			if err != nil {
				t.Fatal(err)
			}
			for _, h := range hs {
				if h.Storm != nil {
					c.unproven(h)
				}
			}
			one(t, run.Judge(plan, hs), verdict.Inconclusive)
		})
	}
}

// A schedule that fails is made smaller within so many plays, to so many calls and blows; it is saved, and found again when it is
// played again: the same invariant is broken. The correct mock passes it.
func TestAFailingStormIsMadeSmallerAndPlayedAgain(t *testing.T) {
	t.Parallel()
	for mutant, c := range map[string]struct {
		calls, blows, plays int
		says                string
		luck                bool // it takes a race, and fails more often than not
	}{
		"fence-outlives-recovery":  {1, 1, 40, "duplicated", false},
		"restart-executes-blindly": {1, 1, 40, "duplicated", false},
		"recovers-two-only":        {3, 1, 40, "is stuck", false}, // the third is forgotten
		"replays-share-a-buffer":   {8, 2, 99, "answers contradict", true},
	} {
		t.Run(mutant, func(t *testing.T) {
			t.Parallel()
			if testing.Short() && mutant != "fence-outlives-recovery" {
				t.Skip("plays some dozens of storms")
			}
			report, out := stormed(t, mutant, storm.Order{Shrink: 5 * time.Minute}) // the plays are counted, not the time
			v := one(t, report.Verdicts, verdict.Fail)
			smallest := theHistory(t, report.Histories, v.Histories[0])
			first := theHistory(t, report.Histories, smallest.Storm.From)
			if first.Storm.From != "" || first.Storm.Failed < 3 {
				t.Errorf("the first storm failed %d times, from %q", first.Storm.Failed, first.Storm.From)
			}
			played := smallest.Storm
			if len(played.Schedule.Calls) > c.calls || len(played.Schedule.Blows) > c.blows || played.Failed < 2 || 2*played.Failed < played.Plays {
				t.Errorf("what is left failed %d of %d times:\n%s", played.Failed, played.Plays, played.Schedule.Text())
			}
			if n := plays(t, report.Histories); n > c.plays {
				t.Errorf("it took %d plays, at most %d are expected", n, c.plays)
			}
			schedule, err := run.ReadSchedule(filepath.Join(out, run.StormsDir, smallest.ID, "schedule.json"))
			if err != nil {
				t.Fatal(err)
			}
			times := 1
			if c.luck {
				times = 5
			}
			again, _ := stormed(t, mutant, storm.Order{Schedule: schedule, Times: times})
			if f := one(t, again.Verdicts, verdict.Fail); !strings.Contains(f.Detail, c.says) || !strings.Contains(v.Detail, c.says) {
				t.Errorf("first %s, then %s; want %q", v.Detail, f.Detail, c.says)
			}
			well, _ := stormed(t, "", storm.Order{Schedule: first.Storm.Schedule, Times: 2})
			one(t, well.Verdicts, verdict.Pass)
		})
	}
}

// A target that keeps things elsewhere than in {dir} cannot be made anew, and what kills left stuck would fail smaller schedules that
// do not fail by themselves: none is taken.
func TestWhatKillsLeftIsInTheWay(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("waits for what will never recover")
	}
	cfg := mock(t, "recovers-two-only")
	command := cfg.Target.Lifecycle.Process.Command
	at := slices.Index(command, "{dir}/mock.db")
	if at < 0 {
		t.Fatalf("no database in %q", command)
	}
	command[at] = filepath.Join(t.TempDir(), "mock.db")
	report, _ := stormedAt(t, cfg, storm.Order{})
	v := one(t, report.Verdicts, verdict.Fail)
	if h := theHistory(t, report.Histories, v.Histories[0]); h.Storm.From != "" || len(h.Storm.Schedule.Calls) != storm.Usual {
		t.Errorf("a schedule of %d calls was taken, from %q", len(h.Storm.Schedule.Calls), h.Storm.From)
	}
	if !slices.ContainsFunc(report.Histories, func(h *history.History) bool {
		return strings.Contains(h.Events[0].Note, "what its kills left unfinished is still there")
	}) {
		t.Error("nothing says why")
	}
}

// plays is how many it took to make the schedule smaller.
func plays(t *testing.T, hs []*history.History) (n int) {
	t.Helper()
	for _, h := range hs {
		if _, told, found := strings.Cut(h.Events[0].Note, "was made smaller: "); found {
			if _, err := fmt.Sscanf(told[strings.LastIndex(told, "in ")+3:], "%d plays", &n); err != nil {
				t.Errorf("%q: %v", told, err)
			}
		}
	}
	if n == 0 {
		t.Error("nothing says how many plays it took")
	}
	return n
}

func theHistory(t *testing.T, hs []*history.History, id string) *history.History {
	t.Helper()
	for _, h := range hs {
		if h.ID == id {
			return h
		}
	}
	t.Fatalf("there is no history %s", id)
	return nil
}

// A long storm is many rounds. Those that were counted twice and are well are not kept: neither in memory nor in the folder.
func TestALongStormKeepsLittle(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("nine rounds of what TestHandlerPasses does once")
	}
	server := httptest.NewServer(ticketsAPI(t))
	t.Cleanup(server.Close)
	cfg := ticketsConfig(t)
	cfg.Target.URL = server.URL
	const rounds = 9
	report, err := suites.Execute(t.Context(), suites.Options{Config: cfg, Out: t.TempDir(), Storm: storm.Order{Length: storm.Length{Operations: rounds * storm.Round}},
		Selection: run.Selection{Requirements: []string{"lost/storm"}}})
	if err != nil {
		t.Fatal(err)
	}
	one(t, report.Verdicts, verdict.Pass)
	kept, said := 0, ""
	for _, h := range report.Histories {
		if h.Storm != nil {
			kept++
		} else if h.Scenario == "lost/storm" {
			said = h.Events[0].Note
		}
	}
	if kept < 3 || kept >= rounds {
		t.Errorf("%d of %d rounds were kept", kept, rounds)
	}
	for _, w := range []string{"9 rounds, 360 calls", "were not kept"} {
		if !strings.Contains(said, w) {
			t.Errorf("%q does not say %q", said, w)
		}
	}
}

// A storm ends by its operations or by its time, whichever comes first; a round that has begun is carried to its end.
func TestAStormEndsByOperationsOrByTime(t *testing.T) {
	t.Parallel()
	for length, rounds := range map[storm.Length]int{
		{Operations: storm.Round + 1, For: 9 * time.Minute}: 2,
		{Operations: 9 * storm.Round, For: time.Nanosecond}: 1,
		{For: time.Nanosecond}:                              1,
	} {
		server := httptest.NewServer(ticketsAPI(t))
		t.Cleanup(server.Close)
		cfg := ticketsConfig(t)
		cfg.Target.URL = server.URL
		report := finished(t, suites.Options{Config: cfg, Out: t.TempDir(), Storm: storm.Order{Length: length}, Selection: run.Selection{Requirements: []string{"lost/storm"}}})
		one(t, report.Verdicts, verdict.Pass)
		played := 0
		for _, h := range report.Histories {
			if h.Storm != nil {
				played++
			}
		}
		if played != rounds {
			t.Errorf("%+v: %d rounds, want %d", length, played, rounds)
		}
	}
}
