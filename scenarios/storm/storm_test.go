package storm_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/oncespec/oncespec/scenarios/storm"
)

var everything = storm.Options{Operation: "create-thing", Seed: 7, Calls: storm.Usual, Clients: 8, Changed: true, Kill: true, Pause: true, Held: 4}

func TestOneSeedMakesOneSchedule(t *testing.T) {
	t.Parallel()
	first, again := storm.Draw(everything), storm.Draw(everything)
	if diff := cmp.Diff(first, again); diff != "" {
		t.Errorf("drawn twice from one seed (-first +again):\n%s", diff)
	}
	other := everything
	other.Seed++
	if cmp.Equal(first, storm.Draw(other)) {
		t.Error("another seed made the same schedule")
	}
}

// A storm of the usual length is one: all kinds of faults, several of each, hot keys, and most attempts left alone.
func TestTheUsualStormHasEverything(t *testing.T) {
	t.Parallel()
	for seed := range uint64(200) {
		o := everything
		o.Seed = seed
		s := storm.Draw(o)
		kinds, faulted, changed := map[storm.Kind]int{}, 0, 0
		callers := map[int]map[int]bool{}
		for _, c := range s.Calls {
			if len(c.Faults) > 0 {
				faulted++
				kinds[c.Faults[0].Kind]++ // it is suffered for certain: the first attempt is always sent
			}
			if c.Changed {
				changed++
			}
			if callers[c.Intent] == nil {
				callers[c.Intent] = map[int]bool{}
			}
			callers[c.Intent][c.Client] = true
		}
		hot := 0
		for _, who := range callers {
			if len(who) > 1 {
				hot++
			}
		}
		for _, kind := range storm.Faults {
			if kinds[kind] == 0 {
				t.Errorf("seed %d: no first attempt suffers %q", seed, kind)
			}
		}
		if hot == 0 || faulted < len(s.Calls)/4 || s.Intents() < len(s.Calls)/4 || s.Clients() != o.Clients || len(s.Blows) != 2 {
			t.Errorf("seed %d: %d hot keys, %d of %d calls faulted, %d intents, %d clients, %d blows, %d changed",
				seed, hot, faulted, len(s.Calls), s.Intents(), s.Clients(), len(s.Blows), changed)
		}
	}
}

// Whatever is drawn can be played, and is read back as it was written.
func TestWhatIsDrawnIsReadBack(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := storm.Draw(storm.Options{
			Operation: rapid.StringN(1, 20, -1).Draw(t, "operation"), Seed: rapid.Uint64().Draw(t, "seed"), Calls: rapid.IntRange(1, 80).Draw(t, "calls"),
			Clients: rapid.IntRange(1, 12).Draw(t, "clients"), Changed: rapid.Bool().Draw(t, "changed"), Kill: rapid.Bool().Draw(t, "kill"),
			Pause: rapid.Bool().Draw(t, "pause"), Held: rapid.IntRange(0, 5).Draw(t, "held"),
		})
		if err := s.Check(); err != nil {
			t.Fatalf("cannot be played: %v", err)
		}
		got, err := storm.Parse("schedule.json", s.Text())
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(s, got); diff != "" {
			t.Error(diff)
		}
	})
}

func TestABrokenScheduleIsRefusedWithThePlace(t *testing.T) {
	t.Parallel()
	whole := string(storm.Draw(everything).Text())
	edit := func(old, new string) string {
		if !strings.Contains(whole, old) {
			t.Fatalf("the schedule has no %s:\n%s", old, whole)
		}
		return strings.Replace(whole, old, new, 1)
	}
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"truncated":              {whole[:len(whole)/2], []string{"s.json:", "whole?"}},
		"of another version":     {edit(storm.Schema, "oncespec.storm/v2"), []string{"s.json:2:", `"oncespec.storm/v2"`, `"oncespec.storm/v1"`}},
		"a history":              {`{"schema":"oncespec.history/v1"}`, []string{"oncespec.history/v1"}},
		"no operation":           {edit(`"create-thing"`, `""`), []string{"s.json:3:", "/operation"}},
		"no calls":               {`{"schema":"oncespec.storm/v1","operation":"a","seed":1,"calls":[]}`, []string{"/calls", "at least one"}},
		"a client 0":             {edit(`"client":1,`, `"client":0,`), []string{"/calls/0/client", "found 0"}},
		"a fault unheard of":     {edit(`"kind":"drop"`, `"kind":"dorp"`), []string{"/kind", `"dorp"`, "drop"}},
		"a cut without bytes":    {`{"schema":"oncespec.storm/v1","operation":"a","seed":1,"calls":[{"client":1,"intent":1,"faults":[{"kind":"cut"}]}]}`, []string{"s.json:1:", "/calls/0/faults/0", "bytes"}},
		"a drop with a status":   {edit(`"kind":"drop"`, `"kind":"drop","status":502`), []string{"/status", "gateway"}},
		"a gateway that says 99": {`{"schema":"oncespec.storm/v1","operation":"a","seed":1,"calls":[{"client":1,"intent":1,"faults":[{"kind":"gateway","status":99}]}]}`, []string{"status"}},
		"changed before its own": {`{"schema":"oncespec.storm/v1","operation":"a","seed":1,"calls":[{"client":1,"intent":1,"changed":true}]}`, []string{"/calls/0/changed"}},
		"an unknown field":       {edit(`"client"`, `"klient"`), []string{"/calls/0/klient", "no such field"}},
		"a text for a number":    {edit(`"client":1`, `"client":"1"`), []string{"/calls/0/client", "a string"}},
		"a blow unheard of":      {edit(`"kind":"kill"`, `"kind":"drop"`), []string{"/blows/1/kind", "kill or pause"}},
		"blows out of order":     {`{"schema":"oncespec.storm/v1","operation":"a","seed":1,"calls":[{"client":1,"intent":1}],"blows":[{"kind":"kill","attempt":4},{"kind":"kill","attempt":3}]}`, []string{"/blows/1/attempt"}},
		"more booked than held":  {`{"schema":"oncespec.storm/v1","operation":"a","seed":1,"calls":[{"client":1,"intent":1}],"blows":[{"kind":"kill","attempt":1,"held":1,"booked":2}]}`, []string{"/blows/0/booked", "found 2"}},
		"two documents":          {whole + whole, []string{"no valid JSON"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := storm.Parse("s.json", []byte(c.text))
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

// A schedule whose failure needs two calls of one intent, the first with a dropped answer, is left with just these.
func TestAFailureIsMadeSmallerToWhatItNeeds(t *testing.T) {
	t.Parallel()
	needs := func(s *storm.Schedule) bool {
		dropped := map[int]bool{}
		for _, c := range s.Calls {
			if dropped[c.Intent] {
				return true
			}
			dropped[c.Intent] = len(c.Faults) > 0 && c.Faults[0].Kind == storm.Drop
		}
		return false
	}
	shrunk := 0
	for seed := range uint64(40) {
		o := everything
		o.Seed = seed
		s := storm.Draw(o)
		if !needs(s) {
			continue
		}
		shrunk++
		before := string(s.Text())
		small := storm.Shrink(s, 500, needs)
		if !needs(small) || small.Check() != nil {
			t.Fatalf("seed %d: what is left does not fail, or cannot be played: %v", seed, small.Check())
		}
		if len(small.Calls) != 2 || small.Clients() != 1 || small.Intents() != 1 || len(small.Blows) != 0 || len(small.Calls[0].Faults) != 1 {
			t.Errorf("seed %d: left with\n%s", seed, small.Text())
		}
		if string(s.Text()) != before {
			t.Errorf("seed %d: the schedule that was given was changed", seed)
		}
	}
	if shrunk == 0 {
		t.Fatal("no schedule failed")
	}
}

// What a kill caught before its booking is enough: no call is held after it any more.
func TestAKillIsMadeToWaitForLess(t *testing.T) {
	t.Parallel()
	small := storm.Shrink(storm.Draw(everything), 500, func(s *storm.Schedule) bool {
		return slices.ContainsFunc(s.Blows, func(b storm.Blow) bool { return b.Kind == storm.Kill && b.Held > b.Booked })
	})
	if len(small.Calls) != 1 || len(small.Blows) != 1 || small.Blows[0].Held != 1 || small.Blows[0].Attempt != 1 || small.Blows[0].Booked != 0 {
		t.Errorf("left with\n%s", small.Text())
	}
}

func TestOnly(t *testing.T) {
	t.Parallel()
	s := storm.Draw(everything)
	few := s.Only(2, 5)
	if err := few.Check(); err != nil || few.Intents() != 2 || len(few.Calls) >= len(s.Calls) || len(few.Blows) != 2 {
		t.Errorf("%v:\n%s", err, few.Text())
	}
	all := make([]int, s.Intents())
	for i := range all {
		all[i] = i + 1
	}
	for _, intents := range [][]int{nil, {999}, all} {
		if got := s.Only(intents...); got != nil {
			t.Errorf("of %v there are\n%s", intents, got.Text())
		}
	}
}

func TestUnbeaten(t *testing.T) {
	t.Parallel()
	s := storm.Draw(everything)
	before := string(s.Text())
	calm := s.Unbeaten()
	if len(calm.Blows) != 0 || len(calm.Calls) != len(s.Calls) || string(s.Text()) != before {
		t.Errorf("%d blows and %d calls of %d are left", len(calm.Blows), len(calm.Calls), len(s.Calls))
	}
	if calm.Unbeaten() != nil {
		t.Error("a schedule that kills nobody has one without its kills")
	}
}

func TestShrinkingIsBounded(t *testing.T) {
	t.Parallel()
	for _, trials := range []int{0, 1, 7} {
		asked := 0
		storm.Shrink(storm.Draw(everything), trials, func(*storm.Schedule) bool { asked++; return true })
		if asked > trials {
			t.Errorf("asked %d times, allowed %d", asked, trials)
		}
	}
	s := storm.Draw(everything)
	if storm.Shrink(s, 100, func(*storm.Schedule) bool { return false }) != s {
		t.Error("what never failed again was made smaller")
	}
}

func FuzzParse(f *testing.F) {
	f.Add(storm.Draw(everything).Text())
	for _, text := range []string{"", "{}", `{"schema":"oncespec.storm/v1"}`, `{"schema":"oncespec.storm/v1","operation":"a","seed":1,"calls":[{"client":1,"intent":1,"faults":[{"kind":"cut","bytes":-1}]}]}`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := storm.Parse("f", data)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "f:") {
				t.Errorf("an error without a place: %v", err)
			}
			return
		}
		again, err := storm.Parse("f", s.Text())
		if err != nil || !bytes.Equal(again.Text(), s.Text()) {
			t.Errorf("read once and not twice: %v", err)
		}
		storm.Shrink(s, 5, func(c *storm.Schedule) bool { return len(c.Calls)%2 == 0 })
	})
}

// A schedule is data: what is drawn is written, kept, and read back.
func ExampleDraw() {
	s := storm.Draw(storm.Options{Operation: "create-order", Seed: 3, Calls: 4, Clients: 2})
	for _, c := range s.Calls {
		fmt.Println(c.Client, c.Intent, c.Faults)
	}
	// Output:
	// 1 1 []
	// 2 2 []
	// 1 3 [{gateway 0 502 0} {delay 0 0 2}]
	// 2 4 [{reset 0 0 0}]
}

// A cut breaks off the shortest answer that there is.
func TestACutLandsOnAnyAnswer(t *testing.T) {
	t.Parallel()
	for seed := range uint64(50) {
		for _, c := range storm.Draw(storm.Options{Seed: seed, Calls: storm.Round, Clients: 8}).Calls {
			for _, f := range c.Faults {
				if f.Kind == storm.Cut && (f.Bytes < 1 || f.Bytes >= int64(len("HTTP/1.1 204\r\n\r\n"))) {
					t.Errorf("seed %d cuts after %d bytes", seed, f.Bytes)
				}
			}
		}
	}
}
