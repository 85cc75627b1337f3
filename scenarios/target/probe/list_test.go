package probe_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/oncespec/oncespec/scenarios/target/config"
	"github.com/oncespec/oncespec/scenarios/target/probe"
	"github.com/oncespec/oncespec/scenarios/target/template"
)

// generous bounds what should end by itself.
const generous = 60 * time.Second

// Markers as a run makes them: long, and never part of one another.
const mine, other = "mark-0123456789ab", "mark-zyxwvutsrqpo"

var subject = probe.Subject{
	Markers: []string{mine},
	Vars: template.Vars{
		Body:  []byte(`{"title":"` + mine + `"}`),
		Key:   "key-1",
		Setup: map[string][]byte{"project": []byte(`{"id":"project-000001"}`)},
	},
	Headers: map[string]string{"Authorization": "Bearer t"},
}

// serve answers every path from a function of path and query.
func serve(t testing.TB, answer func(w http.ResponseWriter, r *http.Request)) probe.Source {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(answer))
	t.Cleanup(server.Close)
	return probe.Source{Base: server.URL + "/"}
}

// pages serves JSON by path and query.
func pages(t testing.TB, by map[string]string) probe.Source {
	t.Helper()
	return serve(t, func(w http.ResponseWriter, r *http.Request) {
		body, ok := by[r.URL.RequestURI()]
		if !ok {
			http.Error(w, "nothing at "+r.URL.RequestURI(), http.StatusNotFound)
			return
		}
		fmt.Fprint(w, body)
	})
}

// only makes the one probe of an operation.
func only(t testing.TB, op config.Operation, e config.Effect) *probe.Probe {
	t.Helper()
	op.Effects = []config.Effect{e}
	if op.Isolate == "" {
		op.Isolate = config.Marker
	}
	if op.Isolate == config.Marker {
		op.Unique = []string{"/title"}
	}
	all, err := probe.All(&op)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := all[0].Close(); err != nil {
			t.Error(err)
		}
	})
	return all[0]
}

func read(t testing.TB, p *probe.Probe, from probe.Source, s probe.Subject) probe.Reading {
	t.Helper()
	r, err := tryRead(t, p, from, s)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func tryRead(t testing.TB, p *probe.Probe, from probe.Source, s probe.Subject) (probe.Reading, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), generous)
	defer cancel()
	return p.Read(ctx, from, s)
}

func TestWhichItemsOfAListBelongToTheIntent(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		isolate string
		get     string
		items   string
		body    string
		ids     string // joined; empty: none
		count   int
	}{
		{"one of several", config.Marker, "/l", "$.l[*]", `{"l":[{"id":1,"title":"` + mine + `"},{"id":2,"title":"` + other + `"}]}`, "1", 1},
		{"none", config.Marker, "/l", "$.l[*]", `{"l":[{"id":2,"title":"` + other + `"}]}`, "", 0},
		{"an empty list", config.Marker, "/l", "$.l[*]", `{"l":[]}`, "", 0},
		{"the same twice on one page", config.Marker, "/l", "$[*]", `[{"id":1,"t":"` + mine + `"},{"id":1,"t":"` + mine + `"}]`, "1 1", 2},
		{"deep down", config.Marker, "/l", "$[*]", `[{"id":"a","x":[{"y":["` + mine + `"]}]}]`, "a", 1},
		{"in a decorated text", config.Marker, "/l", "$[*]", `[{"id":"a","t":"[P1] ` + mine + `!"}]`, "a", 1},
		{"not as a name", config.Marker, "/l", "$[*]", `[{"id":"a","` + mine + `":1}]`, "", 0},
		{"not a part of it", config.Marker, "/l", "$[*]", `[{"id":"a","t":"` + mine[:len(mine)-1] + `"}]`, "", 0},
		{"items that are texts", config.Marker, "/l", "$[*]", `["` + mine + `","` + other + `"]`, "", 1},
		{"items by a filter", config.Marker, "/l", "$.l[?@.kind=='a']", `{"l":[{"id":1,"kind":"a","t":"` + mine + `"},{"id":2,"kind":"b","t":"` + mine + `"}]}`, "1", 1},
		{"ids beyond float64", config.Marker, "/l", "$[*]", `[{"id":9007199254740993,"t":"` + mine + `"}]`, "9007199254740993", 1},
		{"a filter that is ignored", config.Marker, "/l?title={body:/title}", "$[*]", `[{"id":1,"t":"` + mine + `"},{"id":2,"t":"` + other + `"}]`, "1", 1},
		{"all of a parent", config.Parent, "/p/{setup.project:/id}/l", "$[*]", `[{"id":1},{"id":2}]`, "1 2", 2},
		{"all of a parent that is named", config.Parent, "/l?p={setup.project:/id}", "$[*]", `[{"id":1,"p":"project-000001"},{"id":2,"p":"project-000001"}]`, "1 2", 2},
		{"a parent's filter that is ignored", config.Parent, "/l?p={setup.project:/id}", "$[*]", `[{"id":1,"p":"project-000001"},{"id":2,"p":"project-000002"}]`, "1", 1},
		{"everything", config.Exclusive, "/l", "$[*]", `[{"id":1},{"id":2}]`, "1 2", 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			from := serve(t, func(w http.ResponseWriter, r *http.Request) {
				if r.Header.Get("Authorization") != "Bearer t" {
					w.WriteHeader(http.StatusUnauthorized)
				}
				fmt.Fprint(w, c.body)
			})
			p := only(t, config.Operation{Isolate: c.isolate}, config.Effect{HTTP: &config.HTTPEffect{Get: c.get, Items: c.items}})
			r := read(t, p, from, subject)
			if r.Count != c.count || strings.Join(r.IDs, " ") != c.ids {
				t.Errorf("%d effects %v, want %d: %s", r.Count, r.IDs, c.count, c.ids)
			}
		})
	}
}

func TestANumberIsAMarkerByItsSpelling(t *testing.T) {
	t.Parallel()
	from := pages(t, map[string]string{"/l": `[{"id":"a","n":100000000000001},{"id":"b","n":1000000000000010},{"id":"c","n":"100000000000001"}]`})
	p := only(t, config.Operation{}, config.Effect{HTTP: &config.HTTPEffect{Get: "/l", Items: "$[*]"}})
	r := read(t, p, from, probe.Subject{Markers: []string{"100000000000001"}})
	if !slices.Equal(r.IDs, []string{"a", "c"}) {
		t.Errorf("found %v, want a and c: the number that only begins with it is another", r.IDs)
	}
}

func TestAListIsReadToItsEnd(t *testing.T) {
	t.Parallel()
	item := func(id int, title string) string { return fmt.Sprintf(`{"key":{"n":%d},"t":%q}`, id, title) }
	from := pages(t, map[string]string{
		"/l":        `{"l":[` + item(1, mine) + `,` + item(2, other) + `],"next":"/l?page=2"}`,
		"/l?page=2": `{"l":[` + item(2, other) + `,` + item(1, mine) + `,` + item(3, mine) + `],"next":"?page=3"}`,
		"/l?page=3": `{"l":[` + item(4, mine) + `],"next":null}`,
	})
	p := only(t, config.Operation{}, config.Effect{HTTP: &config.HTTPEffect{Get: "/l", Items: "$.l[*]", ID: "$.key.n", Next: "$.next"}})
	if r := read(t, p, from, subject); r.Count != 3 || !slices.Equal(r.IDs, []string{"1", "3", "4"}) {
		t.Errorf("found %v, want 1, 3 and 4: what moved on to the next page is the same", r.IDs)
	}
}

func TestWhatStandsForNoNextPage(t *testing.T) {
	t.Parallel()
	for _, next := range []string{`null`, `""`, `false`} {
		from := pages(t, map[string]string{"/l": `{"l":[{"id":1,"t":"` + mine + `"}],"next":` + next + `}`})
		p := only(t, config.Operation{}, config.Effect{HTTP: &config.HTTPEffect{Get: "/l", Items: "$.l[*]", Next: "$.next"}})
		if r := read(t, p, from, subject); r.Count != 1 {
			t.Errorf("next %s: found %d, want 1", next, r.Count)
		}
	}
}

func TestWhetherAProbeTellsIntentsApart(t *testing.T) {
	t.Parallel()
	list := func(get string) config.Effect {
		return config.Effect{HTTP: &config.HTTPEffect{Get: get, Items: "$[*]"}}
	}
	for _, c := range []struct {
		name   string
		op     config.Operation
		effect config.Effect
		shared bool
	}{
		{"a list with markers", config.Operation{Isolate: config.Marker}, list("/l"), false},
		{"a list of a parent", config.Operation{Isolate: config.Parent}, list("/l?p={setup.p:/id}"), false},
		{"a list of all", config.Operation{Isolate: config.Exclusive}, list("/l"), true},
		{"a list beside a parent", config.Operation{Isolate: config.Parent}, list("/l"), true},
		{"a list that follows the key", config.Operation{Isolate: config.Exclusive}, list("/l/{key}"), false},
		{"a value of all, although there are markers", config.Operation{Isolate: config.Marker}, config.Effect{Value: &config.ValueEffect{Get: "/s", At: "$.n"}}, true},
		{"a value of a parent", config.Operation{Isolate: config.Parent}, config.Effect{Value: &config.ValueEffect{Get: "/s/{setup.p:/id}", At: "$.n"}}, false},
		{"rows with markers", config.Operation{Isolate: config.Marker}, config.Effect{SQL: &config.SQLEffect{Driver: "sqlite", Query: "select id, title from t"}}, false},
		{"rows of all", config.Operation{Isolate: config.Exclusive}, config.Effect{SQL: &config.SQLEffect{Driver: "sqlite", Query: "select id from t"}}, true},
		{"a command with a marker", config.Operation{Isolate: config.Marker}, config.Effect{Command: &config.CommandEffect{Run: []string{"x", "{body:/title}"}}}, false},
		{"a command for all", config.Operation{Isolate: config.Exclusive}, config.Effect{Command: &config.CommandEffect{Run: []string{"x"}}}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if p := only(t, c.op, c.effect); p.Shared != c.shared {
				t.Errorf("shared %v, want %v", p.Shared, c.shared)
			}
		})
	}
}

func TestProbesAreNamedAfterTheirKind(t *testing.T) {
	t.Parallel()
	list := config.Effect{HTTP: &config.HTTPEffect{Get: "/l", Items: "$"}}
	all, err := probe.All(&config.Operation{Isolate: config.Exclusive, Effects: []config.Effect{
		list, {Value: &config.ValueEffect{Get: "/v", At: "$"}}, list, {Downstream: &config.LedgerEffect{}}, list,
	}})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range all {
		got = append(got, p.Name+"/"+string(p.Kind))
	}
	if want := "http/resource value/value http-2/resource downstream/ledger http-3/resource"; strings.Join(got, " ") != want {
		t.Errorf("%v, want %s", got, want)
	}
}

func TestWhatCameSinceABaseline(t *testing.T) {
	t.Parallel()
	counted := func(n int) probe.Reading { return probe.Reading{Count: n} }
	ids := func(list ...string) probe.Reading { return probe.Reading{Count: len(list), IDs: list} }
	for _, c := range []struct {
		name        string
		before, now probe.Reading
		want        string // ids, or the count
	}{
		{"by ids", ids("a", "b"), ids("c", "a", "b"), "[c] 1"},
		{"by ids, although something went away", ids("a", "b"), ids("b", "c"), "[c] 1"},
		{"an id twice", ids("a"), ids("a", "a"), "[a] 1"},
		{"nothing", ids("a"), ids("a"), "[] 0"},
		{"from nothing", probe.Reading{}, ids("a"), "[a] 1"},
		{"by counts", counted(3), counted(5), "[] 2"},
		{"by counts, where only one knows ids", counted(1), ids("a", "b"), "[] 1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r, err := c.now.Since(c.before)
			if got := fmt.Sprint(r.IDs, r.Count); err != nil || got != c.want {
				t.Errorf("%s (%v), want %s", got, err, c.want)
			}
		})
	}
	if _, err := counted(1).Since(counted(2)); err == nil || !strings.Contains(err.Error(), "found 1 where there were 2 before") {
		t.Errorf("%v, want an error: a smaller count says nothing", err)
	}
}
