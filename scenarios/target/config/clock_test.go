package config

import (
	"strings"
	"testing"
	"time"
)

func TestAClock(t *testing.T) {
	t.Parallel()
	const operation = "operations: {a: {request: {method: POST, path: /a}}}\n"
	for _, c := range []struct{ name, clock, want string }{
		{"a request", "{http: {method: POST, path: /clock, body: {advance: '{duration}'}}}", ""},
		{"a query", "{http: {method: POST, path: '/clock?by={duration}'}}", ""},
		{"a header", "{http: {method: POST, path: /clock, headers: {X-By: '{duration}'}}}", ""},
		{"a command", "{command: 'clock {duration}', within: 3s}", ""},
		{"a command that reads the variable", "{command: 'clock \"${DURATION}\"'}", ""},
		{"neither", "{within: 3s}", "target.clock: found none of them, expected exactly one of http or command"},
		{"both", "{command: 'x {duration}', http: {method: POST, path: '/{duration}'}}", "found http and command, expected only one of http or command"},
		{"a request that says nothing", "{http: {method: POST, path: /clock}}", "target.clock.http: found no {duration}, expected one: it says by how much the time is to move"},
		{"a command that says nothing", "{command: tick}", "target.clock.command: found no {duration}"},
		{"a placeholder of something else", "{http: {method: POST, path: '/clock?by={duration}&key={key}'}}", "found {key}, expected"},
		{"a unit that is none", "{command: 'x {duration}', within: soon}", "expected a duration such as 300ms, 5s or 10m"},
		{"an unknown field", "{cmd: 'x {duration}'}", "target.clock.cmd: found an unknown field, expected command, http or within"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			cfg, err := Parse("x.yaml", []byte("target:\n  url: 'http://127.0.0.1:1'\n  clock: "+c.clock+"\n"+operation), nil)
			switch {
			case c.want == "" && err != nil:
				t.Error(err)
			case c.want == "" && cfg.Target.Clock.Within != map[bool]time.Duration{true: 3 * time.Second, false: defaultClock}[strings.Contains(c.clock, "3s")]:
				t.Errorf("within %v", cfg.Target.Clock.Within)
			case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
				t.Errorf("expected %q, found %v", c.want, err)
			}
		})
	}
}

func TestADurationIsForTheClock(t *testing.T) {
	t.Parallel()
	_, err := Parse("x.yaml", []byte("target: {url: 'http://127.0.0.1:1'}\noperations: {a: {request: {method: POST, path: '/a?for={duration}'}}}\n"), nil)
	if err == nil || !strings.Contains(err.Error(), "found {duration}, expected") {
		t.Errorf("found %v", err)
	}
}
