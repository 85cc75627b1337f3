package probe_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/oncespec/oncespec/scenarios/target/config"
	"github.com/oncespec/oncespec/scenarios/target/probe"
)

func TestTheStateOfAnOperation(t *testing.T) {
	t.Parallel()
	states := map[string][]string{"in_progress": {"queued", "running"}, "succeeded": {"done", "true"}, "failed": {"2"}, "unknown": {"?"}}
	for _, c := range []struct {
		name           string
		status         int
		body           string
		state, word    string
		reference, err string
	}{
		{"in progress", 200, `{"s":"running"}`, "in_progress", "running", "", ""},
		{"accepted", 202, `{"s":"queued"}`, "in_progress", "queued", "", ""},
		{"done, with a link", 200, `{"s":"done","ref":"/v1/a/1"}`, "succeeded", "done", "/v1/a/1", ""},
		{"done, with a number", 200, `{"s":true,"ref":17}`, "succeeded", "true", "17", ""},
		{"a number for a word", 200, `{"s":2}`, "failed", "2", "", ""},
		{"not known", 404, ``, probe.Absent, "", "", ""},
		{"no longer known", 410, `<html>`, probe.Absent, "", "", ""},
		{"refused", 403, `no`, "", "", "", ""},
		{"an unknown word", 200, `{"s":"dnoe"}`, "", "dnoe", "", `found the state "dnoe", expected one of 2, ?, done, queued, running, true`},
		{"no word", 200, `{"s":{}}`, "", "", "", `expected a word at $["s"], found {}`},
		{"nothing there", 200, `{}`, "", "", "", `expected a state at $["s"], found nothing there in "{}"`},
		{"no JSON", 200, `<html>`, "", "", "", `expected JSON, found "<html>"`},
		{"broken", 500, `oops`, "", "", "", `expected a 2xx answer, found 500: "oops"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			from := serve(t, func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path != "/o/key-1" || r.Header.Get("Authorization") != "Bearer t" {
					t.Errorf("%s with %q was asked for", r.URL, r.Header["Authorization"])
				}
				w.WriteHeader(c.status)
				io.WriteString(w, c.body)
			})
			p, err := probe.NewStatus(&config.StatusProbe{Get: "/o/{key}", State: "$.s", Reference: "$.ref", States: states})
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), generous)
			defer cancel()
			s, err := p.Read(ctx, from, subject)
			if (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
				t.Errorf("error %v, want %q", err, c.err)
			}
			if s.Name != c.state || s.Word != c.word || s.Reference != c.reference {
				t.Errorf("state %q (%q) with reference %q, want %q (%q) with %q", s.Name, s.Word, s.Reference, c.state, c.word, c.reference)
			}
			if s.Answer == nil || s.Answer.Status != c.status {
				t.Errorf("answer %+v, want that with %d", s.Answer, c.status)
			}
		})
	}
}
