package needtest

import (
	"errors"
	"testing"
)

// outcome is a test that only notes how it ended.
type outcome struct {
	testing.TB
	skipped, failed bool
}

func (o *outcome) Helper()               {}
func (o *outcome) Skipf(string, ...any)  { o.skipped = true }
func (o *outcome) Fatalf(string, ...any) { o.failed = true }

func TestHave(t *testing.T) {
	t.Setenv("ONCESPEC_REQUIRE", "docker,mount")
	missing := errors.New("there is none")
	for name, c := range map[string]struct {
		what string
		err  error
		want outcome
	}{
		"it is there":              {"docker", nil, outcome{}},
		"it is not, and need not":  {"postgres", missing, outcome{skipped: true}},
		"it is not, and has to be": {"docker", missing, outcome{failed: true}},
		"the last that has to be":  {"mount", missing, outcome{failed: true}},
		"part of a name":           {"dock", missing, outcome{skipped: true}},
	} {
		var got outcome
		if Have(&got, c.what, c.err); got != c.want {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
