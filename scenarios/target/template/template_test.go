package template_test

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/oncespec/oncespec/scenarios/target/template"
)

var vars = template.Vars{
	Body:       []byte(`{"title":"a b/c?d&e=ü","n":10.50,"big":90071992547409.93,"half":0.5,"yes":true,"none":null,"list":[1,{"x y":"deep"}],"a/b":"slash"}`),
	Answer:     []byte(`{"id":42,"self":"/v1/tickets/42"}`),
	Setup:      map[string][]byte{"project": []byte(`{"id":"p-1","seq":7}`), "text": []byte(`not JSON`)},
	Key:        "k%1/x",
	Port:       "8080",
	Dir:        "/tmp/d",
	Downstream: "http://127.0.0.1:9099",
	Env:        map[string]string{"TOKEN": "s3cret", "EMPTY": ""},
}

func TestPlaceholdersInText(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, want string }{
		{"", ""},
		{"plain", "plain"},
		{"{key}", "k%1/x"},
		{"{port}{dir} {downstream}/x", "8080/tmp/d http://127.0.0.1:9099/x"},
		{"{body:/title}", "a b/c?d&e=ü"},
		{"{body:/n} {body:/big} {body:/yes}", "10.50 90071992547409.93 true"},
		{"{body:/list/1/x y}-{body:/a~1b}", "deep-slash"},
		{"{answer:/id}", "42"},
		{"{setup.project:/id}/{setup.project:/seq}", "p-1/7"},
		{"Bearer ${TOKEN}${EMPTY}.", "Bearer s3cret."},
		// braces around anything else
		{`{"a":{"b":"{key}"}}`, `{"a":{"b":"k%1/x"}}`},
		{`{}`, `{}`},
		{`{ id }`, `{ id }`},
		{`{a: 1}`, `{a: 1}`},
		{`{`, `{`},
		{`}`, `}`},
		{`{{`, `{{`},
		{"{{key}}", "{key}"},
		{"{{body:/x}}", "{body:/x}"},
		{"{{nonsense}}", "{nonsense}"},
		{"{{{key}}}", "{{key}}"},
		{"$$${TOKEN}", "$${TOKEN}"},
		{"$${TOKEN}", "${TOKEN}"},
		{"$TOKEN ${} ${1} $", "$TOKEN ${} ${1} $"},
	} {
		t.Run(c.text, func(t *testing.T) {
			t.Parallel()
			tpl, err := template.Parse(c.text)
			if err != nil {
				t.Fatal(err)
			}
			got, err := tpl.Expand(vars)
			if err != nil || got != c.want {
				t.Errorf("%q (%v), want %q", got, err, c.want)
			}
		})
	}
}

func TestPlaceholdersInURLsAreEscapedByTheirPlace(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, want string }{
		{"/v1/tickets", "/v1/tickets"},
		{"/v1/{body:/title}", "/v1/a%20b%2Fc%3Fd&e=%C3%BC"},
		{"/v1?q={body:/title}&k={key}", "/v1?q=a%20b%2Fc%3Fd%26e%3D%C3%BC&k=k%251%2Fx"},
		{"/v1/{key}/x?y=%20{key}", "/v1/k%251%2Fx/x?y=%20k%251%2Fx"},
		{"{answer:/self}?full=1", "/v1/tickets/42?full=1"},
		{"http://127.0.0.1:{port}", "http://127.0.0.1:8080"},
		{"{downstream}/v1", "http://127.0.0.1:9099/v1"},
		{"/a{{b}}", "/a%7Bb%7D"},
		{"/{body:/list/1/x y}", "/deep"},
		{"?only=query", ""},
	} {
		t.Run(c.text, func(t *testing.T) {
			t.Parallel()
			tpl, err := template.ParseURL(c.text)
			if c.want == "" {
				if err == nil {
					t.Error("no error, want one: it is no path")
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			got, err := tpl.Expand(vars)
			if err != nil || got != c.want {
				t.Errorf("%q (%v), want %q", got, err, c.want)
			}
		})
	}
}

func TestAValueThatIsOnePlaceholderKeepsItsType(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, want string }{
		{`{"b":1.0,"a":[]}`, `{"b":1.0,"a":[]}`},
		{`{"id":"{answer:/id}","text":"no {answer:/id}","nested":["{setup.project:/seq}"]}`, `{"id":42,"text":"no 42","nested":[7]}`},
		{`["{body:/n}","{body:/yes}","{body:/none}","{body:/list}","{body:/title}"]`, `[10.50,true,null,[1,{"x y":"deep"}],"a b/c?d&e=ü"]`},
		{`{"key":"{key}","{key}":1}`, `{"key":"k%1/x","{key}":1}`},
		{`"{{key}}"`, `"{key}"`},
		{`{"query":"mutation { create(title: \"x\") { id } }"}`, `{"query":"mutation { create(title: \"x\") { id } }"}`},
		{` { "n" : 1e400 } `, `{"n":1e400}`},
	} {
		t.Run(c.text, func(t *testing.T) {
			t.Parallel()
			j, err := template.ParseJSON([]byte(c.text))
			if err != nil {
				t.Fatal(err)
			}
			got, err := j.Expand(vars)
			if err != nil || string(got) != c.want {
				t.Errorf("%s (%v), want %s", got, err, c.want)
			}
		})
	}
}

func TestPlaceholdersInSQLAreBound(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text    string
		dialect template.Dialect
		want    string
		args    []any
	}{
		{"select id from t where title = {body:/title} and n = {body:/n}", template.Postgres, "select id from t where title = $1 and n = $2", []any{"a b/c?d&e=ü", "10.50"}},
		{"select id from t where id = {answer:/id} and ok = {body:/yes} and x is {body:/none}", template.SQLite, "select id from t where id = ? and ok = ? and x is ?", []any{int64(42), true, nil}},
		{"select {body:/n}, {body:/big}, {body:/list}", template.SQLite, "select ?, ?, ?", []any{"10.50", "90071992547409.93", `[1,{"x y":"deep"}]`}},
		{"select {body:/half}", template.SQLite, "select ?", []any{0.5}},
		{"select '{a,b}', '{it''s {id}', $q$ {key2} $q$ -- {nothing}\n, {key}", template.Postgres, "select '{a,b}', '{it''s {id}', $q$ {key2} $q$ -- {nothing}\n, $1", []any{"k%1/x"}},
		{"select ${TOKEN} /* {x} */", template.Postgres, "select $1 /* {x} */", []any{"s3cret"}},
	} {
		t.Run(c.text, func(t *testing.T) {
			t.Parallel()
			q, err := template.ParseSQL(c.text, c.dialect)
			if err != nil {
				t.Fatal(err)
			}
			query, args, err := q.Bind(vars)
			if err != nil || query != c.want || !reflect.DeepEqual(args, c.args) {
				t.Errorf("%q with %#v (%v), want %q with %#v", query, args, err, c.want, c.args)
			}
		})
	}
}

func parsers() map[string]func(string) error {
	return map[string]func(string) error{
		"text": func(s string) error { _, err := template.Parse(s); return err },
		"url":  func(s string) error { _, err := template.ParseURL(s); return err },
		"sql":  func(s string) error { _, err := template.ParseSQL(s, template.Postgres); return err },
		"json": func(s string) error { _, err := template.ParseJSON([]byte(s)); return err },
	}
}

func TestWhatIsNoTemplate(t *testing.T) {
	t.Parallel()
	const all = "one of {body:/…}, {answer:/…}, {setup.NAME:/…}, {key}, {port}, {dir}, {downstream}, {store}, {duration}, ${NAME}, or "
	for _, c := range []struct {
		kind, text string
		offset     int
		want       string
	}{
		{"text", "a {kye}", 2, "found an unknown placeholder {kye}, expected " + all + "{{kye}} for the text itself (did you mean {key}?)"},
		{"text", "{bdoy:/title}", 0, "found an unknown placeholder {bdoy:/title}, expected " + all + "{{bdoy:/title}} for the text itself (did you mean {body:/title}?)"},
		{"text", "{steup.project:/id}", 0, "found an unknown placeholder {steup.project:/id}, expected " + all + "{{steup.project:/id}} for the text itself (did you mean {setup.project:/id}?)"},
		{"text", "{something}", 0, "found an unknown placeholder {something}, expected " + all + "{{something}} for the text itself"},
		{"text", "{body}", 0, "found {body}, expected a JSON Pointer, as in {body:/id}"},
		{"text", "{body:title}", 0, `found "{body:", expected a JSON Pointer and a closing brace, such as {body:/id}`},
		{"text", "{body:/title", 0, `found "{body:", expected a JSON Pointer and a closing brace, such as {body:/id}`},
		{"text", "{body:/a~2}", 0, "found {body:/a~2}, expected a JSON Pointer, in which ~0 stands for ~ and ~1 for /"},
		{"text", "{key:/x}", 0, "found {key:/x}, expected {key}, which takes no pointer"},
		{"text", "{setup:/id}", 0, "found {setup:/id}, expected the name of a step, as in {setup.NAME:/id}"},
		{"text", "{setup.p}", 0, "found {setup.p}, expected a JSON Pointer, as in {setup.p:/id}"},
		{"url", "", 0, "found nothing, expected a path such as /v1/tickets"},
		{"url", "v1", 0, `found "v1", expected a path that begins with /`},
		{"url", "/a b", 2, `found ' ', expected it escaped: %20`},
		{"url", "/ä", 1, `found 'ä', expected it escaped: %C3%A4`},
		{"url", "/a%2", 2, "found a lone %, expected two hexadecimal digits behind it; %25 for the character"},
		{"url", "/a#b", 2, "found a fragment, expected none: it is never sent; %23 for the character"},
		{"url", "/a/{", 3, "found an opening brace, expected a placeholder such as {key}, or {{ for the character"},
		{"url", "/a}", 2, "found a closing brace, expected a placeholder before it, or }} for the character"},
		{"url", "/${", 1, "found ${, expected the name of an environment variable and }"},
		{"sql", "select '{key}'", 8, "found {key} in quotes or in a comment, expected it without quotes: it is bound as a parameter"},
		{"sql", "select 1 -- {key}", 12, "found {key} in quotes or in a comment, expected it without quotes: it is bound as a parameter"},
		{"sql", "select {kee}", 7, "found an unknown placeholder {kee}, expected " + all + "{{kee}} for the text itself (did you mean {key}?)"},
	} {
		t.Run(c.kind+" "+c.text, func(t *testing.T) {
			t.Parallel()
			err := parsers()[c.kind](c.text)
			var bad *template.Error
			if !errors.As(err, &bad) || bad.Error() != c.want || bad.Offset != c.offset {
				t.Errorf("%v at %d, want %q at %d", err, bad.Offset, c.want, c.offset)
			}
		})
	}
}

func TestEveryBadTextOfAJSONValueIsNamed(t *testing.T) {
	t.Parallel()
	_, err := template.ParseJSON([]byte(`{"a/b":["ok","x {kee}"],"c":"{body}"}`))
	var all interface{ Unwrap() []error }
	if !errors.As(err, &all) {
		t.Fatalf("%v, want joined errors", err)
	}
	for _, want := range []string{"/a~1b/1", "/c"} {
		if !strings.Contains(pointers(err), want) {
			t.Errorf("the errors are at %s, want one at %s", pointers(err), want)
		}
	}
}

func pointers(err error) string {
	if bad, ok := err.(*template.Error); ok {
		return bad.Pointer + " "
	}
	out := ""
	if all, ok := err.(interface{ Unwrap() []error }); ok {
		for _, e := range all.Unwrap() {
			out += pointers(e)
		}
	}
	return out
}

func TestWhatIsMissingIsNamed(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text string
		vars template.Vars
		want string
	}{
		{"{body:/x}", template.Vars{}, "{body:/x}: there is no request body here"},
		{"{body:/x}", template.Vars{Body: []byte("a=1")}, `{body:/x}: expected JSON, found "a=1": JSON at byte 0`},
		{"{body:/x}", template.Vars{Body: []byte(`{"y":1}`)}, `{body:/x}: nothing at /x in "{\"y\":1}"`},
		{"{body:/x}", template.Vars{Body: []byte(`{"x":{}}`)}, `{body:/x}: expected text, a number, true or false, found "{}"`},
		{"{body:/x}", template.Vars{Body: []byte(`{"x":null}`)}, `found "null"`},
		{"{answer:/x}", template.Vars{}, "{answer:/x}: there is no answer here"},
		{"{setup.p:/x}", template.Vars{}, `{setup.p:/x}: the setup step "p" left no answer`},
		{"{key}", template.Vars{}, "{key}: there is no key here"},
		{"{port}", template.Vars{}, "{port}: no port was chosen"},
		{"{dir}", template.Vars{}, "{dir}: there is no folder"},
		{"{downstream}", template.Vars{}, "{downstream}: there is no gate"},
		{"${NONE}", template.Vars{}, "${NONE}: the environment variable is not set"},
	} {
		t.Run(c.text, func(t *testing.T) {
			t.Parallel()
			tpl, err := template.Parse(c.text)
			if err != nil {
				t.Fatal(err)
			}
			if _, err = tpl.Expand(c.vars); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want one with %q", err, c.want)
			}
		})
	}
}

func TestPlaceholdersAreListed(t *testing.T) {
	t.Parallel()
	tpl, err := template.Parse("{key} ${A} {setup.p:/id} {body:}")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range tpl.Placeholders() {
		got = append(got, fmt.Sprint(p, "@", p.Offset))
	}
	if want := "[{key}@0 ${A}@6 {setup.p:/id}@11 {body:}@25]"; fmt.Sprint(got) != want {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestMergeFollowsRFC7396(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ value, patch, want string }{
		{`{"a":"b"}`, `{"a":"c"}`, `{"a":"c"}`},
		{`{"a":"b"}`, `{"b":"c"}`, `{"a":"b","b":"c"}`},
		{`{"a":"b","b":"c"}`, `{"a":null}`, `{"b":"c"}`},
		{`{"a":["b"]}`, `{"a":"c"}`, `{"a":"c"}`},
		{`{"a":{"b":"c"}}`, `{"a":{"b":"d","c":null}}`, `{"a":{"b":"d"}}`},
		{`{"a":[{"b":"c"}]}`, `{"a":[1]}`, `{"a":[1]}`},
		{`["a","b"]`, `["c","d"]`, `["c","d"]`},
		{`{"a":"b"}`, `["c"]`, `["c"]`},
		{`{"a":"foo"}`, `null`, `null`},
		{`{"e":null}`, `{"a":1}`, `{"e":null,"a":1}`},
		{`[1,2]`, `{"a":"b","c":null}`, `{"a":"b"}`},
		{`{}`, `{"a":{"bb":{"ccc":null}}}`, `{"a":{"bb":{}}}`},
		{`{"z":1.0,"y":2}`, `{"z":3.50}`, `{"z":3.50,"y":2}`},
	} {
		t.Run(c.value+c.patch, func(t *testing.T) {
			t.Parallel()
			got, err := template.Merge([]byte(c.value), []byte(c.patch))
			if err != nil || string(got) != c.want {
				t.Errorf("%s (%v), want %s", got, err, c.want)
			}
		})
	}
}

func FuzzTemplate(f *testing.F) {
	for _, s := range []string{"", "{key}", "/v1/{body:/title}?q={key}", "{{key}}", "$${A}${A}", `{"a":"{setup.p:/id}"}`, "select '{x}' {key} -- {", "{body:", "%zz#", "}}{{"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if tpl, err := template.Parse(text); err == nil {
			tpl.Expand(vars)
		}
		if tpl, err := template.ParseURL(text); err == nil {
			if got, err := tpl.Expand(vars); err == nil && strings.ContainsAny(got, " \r\n\x00") {
				t.Errorf("URL %q", got)
			}
		}
		if q, err := template.ParseSQL(text, template.Postgres); err == nil {
			if _, args, err := q.Bind(vars); err == nil && len(args) != len(q.Placeholders()) {
				t.Errorf("%d arguments for %d placeholders", len(args), len(q.Placeholders()))
			}
		}
		if j, err := template.ParseJSON([]byte(text)); err == nil {
			j.Expand(vars)
		}
	})
}

func Example() {
	url, err := template.ParseURL("/v1/tickets?title={body:/title}")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(url.Expand(template.Vars{Body: []byte(`{"title":"fire & water"}`)}))

	body, err := template.ParseJSON([]byte(`{"project":"{setup.project:/id}","title":"in {setup.project:/id}"}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	out, err := body.Expand(template.Vars{Setup: map[string][]byte{"project": []byte(`{"id":17}`)}})
	fmt.Println(string(out), err)

	_, err = template.Parse("{kye}")
	fmt.Println(strings.HasSuffix(err.Error(), "(did you mean {key}?)"))
	// Output:
	// /v1/tickets?title=fire%20%26%20water <nil>
	// {"project":17,"title":"in 17"} <nil>
	// true
}
