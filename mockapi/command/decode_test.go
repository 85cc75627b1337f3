package command_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/oncespec/oncespec/mockapi/command"
)

type sample struct {
	Name  string         `json:"name"`
	Extra jsontext.Value `json:"extra"`
}

func TestDecodeIsStrict(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		body    string
		status  int // 0: accepted
		pointer string
	}{
		"object":             {body: `{"name":"a"}`},
		"nothing":            {body: ``},
		"white space":        {body: " \n"},
		"byte order mark":    {body: "\ufeff{}", status: 400},
		"array":              {body: `[{"name":"a"}]`, status: 422},
		"null":               {body: `null`, status: 422},
		"cut":                {body: `{"name":"a"`, status: 400},
		"second value":       {body: `{"name":"a"}{}`, status: 400},
		"comment":            {body: `{"name":"a"}//`, status: 400},
		"duplicate":          {body: `{"name":"a","name":"b"}`, status: 400},
		"duplicate, nested":  {body: `{"extra":{"a":1,"a":2}}`, status: 400},
		"invalid UTF-8":      {body: "{\"name\":\"\xff\"}", status: 400},
		"lone surrogate":     {body: `{"name":"\ud800"}`, status: 400},
		"unknown":            {body: `{"nom":"a"}`, status: 422, pointer: "/nom"},
		"name in other case": {body: `{"Name":"a"}`, status: 422, pointer: "/Name"},
		"number for text":    {body: `{"name":1}`, status: 422, pointer: "/name"},
		"array for text":     {body: `{"name":["a"]}`, status: 422, pointer: "/name"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := command.Decode[sample]([]byte(c.body))
			var refusal *command.Refusal
			switch errors.As(err, &refusal); {
			case c.status == 0 && err != nil:
				t.Errorf("got %v, want it accepted", err)
			case c.status != 0 && (refusal == nil || refusal.Status != c.status):
				t.Errorf("got %v, want a refusal with %d", err, c.status)
			case c.pointer != "" && (len(refusal.Fields) != 1 || refusal.Fields[0].Pointer != c.pointer):
				t.Errorf("got %v, want %s named", err, c.pointer)
			}
		})
	}
}

func TestDecodeKeepsFreeFormNumbers(t *testing.T) {
	t.Parallel()
	const extra = `{"n":[9007199254740993,0.10,1e400,-0]}`
	got, err := command.Decode[sample]([]byte(`{"extra":` + extra + `}`))
	if err != nil || string(got.Extra) != extra {
		t.Errorf("got %s, %v, want %s", got.Extra, err, extra)
	}
	answer, err := command.JSON(200, "", got)
	if err != nil || !strings.Contains(string(answer.Body), extra) {
		t.Errorf("answered %s, %v, want %s in it", answer.Body, err, extra)
	}
}

func FuzzDecode(f *testing.F) {
	for _, seed := range []string{`{"name":"a","extra":[1,{}]}`, `{`, `[]`, "", `{"name":1}`, `{"extra":1e400}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		_, err := command.Decode[sample](body)
		var refusal *command.Refusal
		if err != nil && (!errors.As(err, &refusal) || refusal.Status != 400 && refusal.Status != 422) {
			t.Errorf("%q: %v", body, err)
		}
	})
}
