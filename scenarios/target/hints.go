package target

import (
	"context"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/rewrite"
)

// refusedHint names what to check in the configuration where the unfaulted write was refused. Whether the key's spelling is to
// blame is found by sending the write once more with the other spelling.
func (s *Stage) refusedHint(ctx context.Context, f *Flight) string {
	a, t := f.attempt, s.target
	request := "/operations" + rewrite.Pointer{s.run.op.Name, "request"}.String()
	switch status := a.Answer.Status; {
	case t.throttled(a):
		return "; it asks to slow down, and did so again and again: set " + t.cfg.Setting("/limits/rate") + " to the requests a second that it allows"
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return "; are the headers in " + t.cfg.Setting("/target/tenants") + " right?"
	case status == http.StatusNotFound || status == http.StatusMethodNotAllowed:
		return fmt.Sprintf("; are %s, and method and path in %s, right?", t.cfg.Setting("/target/url"), t.cfg.Setting(request))
	case status >= 300 && status < 400:
		return "; redirects are not followed: name the final URL in " + t.cfg.Setting(request+"/path")
	case status < 400 || status > 499 || keyInPath(s.run.op):
		return ""
	}
	if hint := s.otherKey(ctx, f); hint != "" {
		return hint
	}
	return "; if it is the body that it refuses, change " + t.cfg.Setting(request) + s.sentAs(f)
}

// otherKey tries the key unquoted, and reads the answer for what it says of keys.
func (s *Stage) otherKey(ctx context.Context, f *Flight) string {
	c, cfg := s.Contract(), s.target.cfg
	says := ""
	if f.answer != nil {
		says = string(f.answer.Body)
	}
	for _, name := range keyField.FindAllString(says, -1) {
		if !strings.EqualFold(name, c.Name) {
			return fmt.Sprintf("; its answer speaks of %s, and the key was sent as %s: where that is the header it wants, set %s", name, c.Name, cfg.Setting("/contract/name"))
		}
	}
	other, err := s.Intent(ctx)
	if err != nil || c.Encode(other.Key) == other.Key {
		return ""
	}
	again := s.patiently(ctx, other, Send{Label: "steady, the key unquoted", KeyFields: []string{other.Key}})
	if a := again.Wait(ctx); a.Answer == nil || !again.class().Success() {
		return ""
	} else {
		return fmt.Sprintf("; the key was sent quoted, as a structured field (%s: %s); unquoted the same write is answered %d: set %s to opaque",
			c.Name, c.Encode(other.Key), a.Answer.Status, cfg.Setting("/contract/key/encoding"))
	}
}

// keyField finds header fields in an answer's words that may be meant to hold the key.
var keyField = regexp.MustCompile(`\b(?i:[a-z]+-)+(?i:key|id|token|nonce)\b`)

// sentAs tells how the key went, for whoever suspects it.
func (s *Stage) sentAs(f *Flight) string {
	name := s.Contract().Name
	for _, field := range f.attempt.Request.Header {
		if strings.EqualFold(field[0], name) {
			return fmt.Sprintf("; if it is the key, which was sent as %s: %s, set %s", name, field[1], s.target.cfg.Setting("/contract/key"))
		}
	}
	return ""
}

// unseenHint says what a probe reads instead of the effect, and where it is configured.
func (s *Stage) unseenHint(ctx context.Context, in *Intent, o history.Observation) string {
	i := slices.IndexFunc(in.state.operation.probes, func(e *stateProbe) bool { return e.name == o.Probe })
	if i < 0 || i >= len(s.run.op.Effects) {
		return ""
	}
	effect := fmt.Sprintf("/operations%s/%d", rewrite.Pointer{s.run.op.Name, "effects"}, i)
	text := ""
	if e := in.state.operation.probes[i]; e.explain != nil {
		var part string
		limited, cancel := context.WithTimeout(ctx, s.target.cfg.Timeouts.Request) // it may be a target that never answers
		defer cancel()
		if text, part = e.explain(limited, in); part != "" {
			effect += "/" + part
		}
	}
	if text != "" {
		text = ": " + s.target.redact.text(text)
	}
	return fmt.Sprintf("%s; change %s", text, s.target.cfg.Setting(effect))
}
