package suites_test

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/oncespec/oncespec/reports"
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/suites"
)

// What a run spends its time on.
const (
	starting   = "starting the target"
	preparing  = "preparing" // setups, baselines, opening proxies, judging
	sending    = "sending"   // an attempt is under way
	probing    = "probing"   // reading state and status
	pausing    = "pausing"   // between two attempts: a Retry-After, a breath before a retry
	holding    = "holding"   // waiting for what is held or released downstream
	killing    = "killing and restarting"
	settling   = "settling"
	recounting = "counting again"
	ending     = "verdicts, stopping"
)

// aPause is from when on nothing but an attempt's beginning, after nothing else, counts as a pause.
const aPause = 4 * time.Millisecond

// moment is something in a run that ended: a piece of time that came before it is spent on it.
type moment struct {
	at   int64 // microseconds since the run began
	pack string
	kind string
}

// spent sums up the time of a run by pack and by kind. Every moment is counted once: while any attempt is under way it is
// sending; otherwise it is spent on what ends next.
func spent(hs []*history.History, whole time.Duration) map[string]map[string]time.Duration {
	var ends []moment
	var flights []flight
	lastEvent := int64(0) // before the last count
	for _, h := range hs {
		pack, _, _ := strings.Cut(h.Scenario, "/")
		for _, e := range h.Events {
			if a := e.Attempt; a != nil {
				flights = append(flights, flight{a.Began, a.Ended, pack})
				ends = append(ends, moment{a.Began, pack, preparing})
			}
			m := moment{e.At, pack, kindOf(e)}
			if m.kind != recounting {
				lastEvent = max(lastEvent, e.At)
			}
			ends = append(ends, m)
		}
	}
	slices.SortFunc(ends, func(a, b moment) int { return cmp.Compare(a.at, b.at) })
	slices.SortFunc(flights, func(a, b flight) int { return cmp.Compare(a.began, b.began) })

	sum := map[string]map[string]time.Duration{}
	add := func(pack, kind string, us int64) {
		if us <= 0 {
			return
		}
		if sum[pack] == nil {
			sum[pack] = map[string]time.Duration{}
		}
		sum[pack][kind] += time.Duration(us) * time.Microsecond
	}
	at, next := int64(0), 0
	for _, m := range ends {
		for ; next < len(flights) && flights[next].began <= at; next++ {
			f := flights[next]
			add(f.pack, sending, f.ended-at)
			at = max(at, f.ended)
		}
		us := m.at - at
		switch {
		case us <= 0:
			continue
		case at == 0:
			m.pack, m.kind = "", starting
		case m.kind == recounting && at == lastEvent:
			m.pack, m.kind = "", settling
		case m.kind == preparing && us >= aPause.Microseconds():
			m.kind = pausing
		}
		add(m.pack, m.kind, us)
		at = m.at
	}
	add("", ending, whole.Microseconds()-at)
	return sum
}

// columns are the kinds in the order of the table.
var columns = []string{starting, preparing, sending, probing, pausing, holding, killing, settling, recounting, ending}

// table is what was spent, in milliseconds, a line for each pack: those that took most first.
func table(sum map[string]map[string]time.Duration) string {
	total := func(kinds map[string]time.Duration) (all time.Duration) {
		for _, d := range kinds {
			all += d
		}
		return all
	}
	used := map[string]time.Duration{}
	for _, kinds := range sum {
		for kind, d := range kinds {
			used[kind] += d
		}
	}
	var b strings.Builder
	line := func(name string, kinds map[string]time.Duration) {
		fmt.Fprintf(&b, "| %s |", cmp.Or(name, "(the run)"))
		for _, kind := range columns {
			if used[kind] == 0 {
				continue
			}
			cell := ""
			if d := kinds[kind]; d > 0 {
				cell = fmt.Sprint(d.Round(time.Millisecond).Milliseconds())
			}
			fmt.Fprintf(&b, " %s |", cell)
		}
		fmt.Fprintf(&b, " %d |\n", total(kinds).Milliseconds())
	}
	heads := slices.DeleteFunc(slices.Clone(columns), func(kind string) bool { return used[kind] == 0 })
	fmt.Fprintf(&b, "| ms | %s | all |\n|---%s|---:|\n", strings.Join(heads, " | "), strings.Repeat("|---:", len(heads)))
	packs := slices.SortedFunc(maps.Keys(sum), func(a, b string) int { return cmp.Compare(total(sum[b]), total(sum[a])) })
	for _, pack := range packs {
		line(pack, sum[pack])
	}
	line("all", used)
	return b.String()
}

// flight is an attempt under way.
type flight struct {
	began, ended int64
	pack         string
}

func kindOf(e history.Event) string {
	switch {
	case e.Attempt != nil:
		return sending
	case e.Observation != nil && e.Observation.Moment == "final", e.Status != nil && e.Status.Moment == "final":
		return recounting
	case e.Observation != nil && e.Observation.Moment == "before":
		return preparing
	case e.Observation != nil, e.Status != nil:
		return probing
	case e.Fault != nil && slices.Contains([]string{"kill", "restart", "stop", "pause", "resume"}, e.Fault.Kind):
		return killing
	case e.Fault != nil:
		return holding
	}
	return preparing
}

// BenchmarkDefaultRun is what `oncespec run` does without a configuration, and prints what that spends its time on. Once is
// enough: -benchtime 1x.
func BenchmarkDefaultRun(b *testing.B) {
	for b.Loop() {
		cfg := mock(b, "")
		began := time.Now()
		report, err := suites.Execute(b.Context(), suites.Options{Config: cfg, Out: b.TempDir()})
		if err != nil {
			b.Fatal(err)
		}
		if report.Result != reports.Conformant {
			b.Fatalf("result %s: %s", report.Result, report.Problem)
		}
		b.Logf("what the run spent its time on\n%s", table(spent(report.Histories, time.Since(began))))
	}
}

func TestSpentCountsEveryMomentOnce(t *testing.T) {
	t.Parallel()
	observed := func(at int64, moment string) history.Event {
		return history.Event{At: at, Observation: &history.Observation{Moment: moment}}
	}
	attempt := func(began, ended int64) history.Event {
		return history.Event{At: ended, Attempt: &history.Attempt{Began: began, Ended: ended}}
	}
	const ms = 1000
	sum := spent([]*history.History{
		{Scenario: "steady/state", Events: []history.Event{attempt(10*ms, 12*ms), observed(13*ms, "after")}},
		{Scenario: "lost/response", Events: []history.Event{
			observed(15*ms, "before"), attempt(16*ms, 20*ms), attempt(17*ms, 19*ms), attempt(19*ms, 25*ms), attempt(125*ms, 126*ms),
			{At: 130 * ms, Fault: &history.Fault{Kind: "kill"}}, {At: 140 * ms, Fault: &history.Fault{Kind: "release"}},
			observed(440*ms, "final"), {At: 445 * ms, Status: &history.Status{Moment: "final"}},
		}},
	}, 450*time.Millisecond)
	want := map[string]map[string]time.Duration{
		"":       {starting: 10, settling: 300, ending: 5},
		"steady": {sending: 2, probing: 1},
		"lost":   {preparing: 2 + 1, sending: 9 + 1, pausing: 100, killing: 4, holding: 10, recounting: 5},
	}
	var all time.Duration
	for pack, kinds := range sum {
		for kind, d := range kinds {
			all += d
			if d != want[pack][kind]*time.Millisecond {
				t.Errorf("%s, %s: %v, want %v", pack, kind, d, want[pack][kind]*time.Millisecond)
			}
		}
	}
	if all != 450*time.Millisecond {
		t.Errorf("%v in all, want 450ms:\n%s", all, table(sum))
	}
}
