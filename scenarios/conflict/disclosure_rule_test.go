package conflict

import (
	"fmt"
	"testing"

	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/history/historytest"
	"github.com/oncespec/oncespec/scenarios/rule/ruletest"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

type secrets struct {
	*historytest.Builder
	in                      *history.Intent
	first, changed, control *history.Attempt
}

func TestNoDisclosure(t *testing.T) {
	t.Parallel()
	says := func(format string, args ...any) func(*secrets) {
		return func(s *secrets) { answer(422, fmt.Sprintf(format, args...))(s.changed) }
	}
	for name, tc := range map[string]struct {
		change func(*secrets)
		want   verdict.Outcome
	}{
		"nothing":                              {func(*secrets) {}, pass},
		"a free text of the first":             {says(`{"detail":"not the note canary-1234"}`), fail},
		"the unique leaf of the first":         {says(`{"original":{"title":"title marker-1"}}`), fail},
		"the marker alone":                     {says(`already used for marker-1.`), fail},
		"percent-encoded, in a link":           {says(`{"see":"/search?q=canary%%2d1234"}`), pass}, // a word of another spelling
		"a header":                             {func(s *secrets) { s.changed.Answer.Header["X-Original"] = []string{"note=canary-1234"} }, fail},
		"a private value of the first answer":  {says(`{"receipt":"r-8271-secret"}`), fail},
		"the whole first answer":               {func(s *secrets) { answer(422, s.first.Answer.Body.Text)(s.changed) }, fail},
		"key, id, state and link may be named": {says(`{"key":"key-1","resource":"/things/thing-0001","id":"thing-0001","state":"succeeded"}`), pass},
		"a time of the same second":            {says(`{"at":"2026-11-30T10:00:00Z"}`), pass},
		"its own payload":                      {says(`{"rejected":{"title":"title marker-2","note":"standard note"}}`), pass},
		"a caller's own id":                    {func(s *secrets) { s.Saw(s.in, history.Resource, "final", 1, "marker-1"); says(`{"id":"marker-1"}`)(s) }, pass},
		"executed":                             {func(s *secrets) { answer(201, `{}`)(s.changed) }, notAssessed},
		"refused under a fresh key too":        {func(s *secrets) { answer(422, `{}`)(s.control) }, inconclusive},
		"told, whatever the control says":      {func(s *secrets) { says(`{"was":"canary-1234"}`)(s); lost(s.control) }, fail},
		"lost":                                 {func(s *secrets) { lost(s.changed) }, inconclusive},
		"nothing of its own to tell": {func(s *secrets) {
			s.in.Markers = nil
			s.first.Request.Body = s.changed.Request.Body
			answer(201, `{"id":"thing-0001"}`)(s.first)
		}, notAssessed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &secrets{Builder: historytest.New("conflict/disclosure")}
			s.in = s.Intent()
			s.first = s.Answered(s.in, "canaries", 201, `{"id":"thing-0001","at":"2026-11-30T10:00:00Z","receipt":"r-8271-secret","operation_id":"operation-7"}`)
			s.first.Request.Body = historytest.Body(`{"title":"title marker-1","note":"canary-1234","project":"operations"}`)
			s.first.Answer.Header["Location"] = []string{"/things/thing-0001"}
			other := s.Intent()
			other.Key = s.in.Key
			s.changed = s.Answered(other, "changed", 422, refusalBody)
			s.changed.Request.Body = historytest.Body(`{"title":"title marker-2","note":"standard note","project":"operations"}`)
			s.control = s.Answered(s.Intent(), "control", 201, `{"id":"thing-0003","at":"2026-11-30T10:00:01Z","receipt":"r-9999-secret","operation_id":"operation-9"}`)
			tc.change(s)
			ruletest.Expect(t, Rules(), "conflict/no-disclosure", tc.want, ruletest.IETF(t), s.History())
		})
	}
}
