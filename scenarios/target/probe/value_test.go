package probe_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/oncespec/oncespec/scenarios/target/config"
	"github.com/oncespec/oncespec/scenarios/target/probe"
)

func TestAValueIsReadExactly(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ body, want string }{
		{`{"n":0}`, "0"},
		{`{"n":-12}`, "-12"},
		{`{"n":9007199254740993}`, "9007199254740993"},
		{`{"n":90071992547409.93}`, "90071992547409.93"},
		{`{"n":10.50}`, "10.50"},
		{`{"n":"10.50"}`, "10.50"},
		{`{"n":1.5e3}`, "1500"},
		{`{"n":15E-4}`, "0.0015"},
	} {
		from := pages(t, map[string]string{"/s": c.body})
		p := only(t, config.Operation{}, config.Effect{Value: &config.ValueEffect{Get: "/s", At: "$.n"}})
		if r := read(t, p, from, subject); r.Value != c.want {
			t.Errorf("%s reads %q, want %q", c.body, r.Value, c.want)
		}
	}
}

func TestAValueThatIsNotThereYetIsZero(t *testing.T) {
	t.Parallel()
	for _, status := range []int{http.StatusNotFound, http.StatusGone} {
		from := serve(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) })
		p := only(t, config.Operation{}, config.Effect{Value: &config.ValueEffect{Get: "/s/{key}", At: "$.n"}})
		if r := read(t, p, from, subject); r.Value != "0" {
			t.Errorf("%d reads %+v, want an absent 0", status, r)
		}
	}
}

func TestWhatIsNoValue(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{"n":"many"}`:      `expected a decimal number at $["n"], found "many"`,
		`{"n":null}`:        `expected a decimal number at $["n"], found null`,
		`{"n":[1]}`:         `found [1]`,
		`{"m":1}`:           `expected a number at $["n"], found nothing there in "{\"m\":1}"`,
		`{"n":1e999999999}`: `expected a decimal number`,
		`{"n":` + strings.Repeat("9", 1000) + `}`: `expected a decimal number`,
		`{"n":"1/3"}`: `expected a decimal number`,
	} {
		from := pages(t, map[string]string{"/s": body})
		p := only(t, config.Operation{}, config.Effect{Value: &config.ValueEffect{Get: "/s", At: "$.n"}})
		if _, err := tryRead(t, p, from, subject); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40s: %v, want an error with %q", body, err, want)
		}
	}
}

func TestHowOftenAValueMoved(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		before, after, unit string
		times               int
		odd                 string
	}{
		{"0", "0", "1", 0, ""},
		{"10", "12", "1", 2, ""},
		{"100.00", "80.02", "-19.98", 1, ""},
		{"100", "60.04", "-19.98", 2, ""},
		{"0.1", "0.3", "0.1", 2, ""},
		{"9007199254740992", "9007199254740993", "1", 1, ""},
		{"10", "15", "10", 0, "5"},
		{"10", "9", "1", 0, "-1"},
		{"0", "0.25", "1", 0, "0.25"},
	} {
		times, odd, err := probe.Moves(c.before, c.after, c.unit)
		if err != nil || times != c.times || odd != c.odd {
			t.Errorf("from %s to %s by %s: %d times, odd %q (%v); want %d, %q", c.before, c.after, c.unit, times, odd, err, c.times, c.odd)
		}
	}
	for _, bad := range [][3]string{{"", "1", "1"}, {"1", "1/3", "1"}, {"1", "2", "0"}, {"1", "1e9999999", "1"}} {
		if _, _, err := probe.Moves(bad[0], bad[1], bad[2]); err == nil {
			t.Errorf("%q: no error, want one", bad)
		}
	}
}

func FuzzMoves(f *testing.F) {
	f.Add("1", "2.50", "-0.5")
	f.Add("1e5", "", "0")
	f.Fuzz(func(t *testing.T, before, after, unit string) {
		times, odd, err := probe.Moves(before, after, unit)
		if times < 0 || times > 0 && odd != "" || err != nil && (times != 0 || odd != "") {
			t.Errorf("%d times, odd %q, %v", times, odd, err)
		}
		if _, _, err := probe.Moves(before, before, unit); err == nil {
			if times, odd, _ := probe.Moves(before, before, unit); times != 0 || odd != "" {
				t.Errorf("no move is %d times, odd %q", times, odd)
			}
		}
	})
}
