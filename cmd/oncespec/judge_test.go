package main_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"path/filepath"
	"testing"
)

func TestJudgeReproducesEveryVerdictByteForByte(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		args []string
		code int
	}{
		{"the mock", []string{"-r", "replay/*", "-r", "conflict/*", "--operation", "create-ticket"}, 0},
		{"a mutant", []string{"-r", "replay/*", "-r", "conflict/*", "--operation", "create-ticket", "--mutant", "mismatch-replays"}, 1},
		{"a strict run", []string{"-r", "conflict/explained", "--operation", "create-ticket", "--mutant", "conflict-unexplained", "--strict"}, 1},
		{"a target that shows nothing", []string{"-c", serve(t, shy), "-r", "lost/response"}, 2},
		{"a target that shows nothing any more", []string{"-c", serve(t, blind(2)), "-r", "lost/response"}, 3},
		{"a target that is down", []string{"-c", file(t, "oncespec.yaml", tickets("http://"+closedPort(t))), "-r", "lost/response"}, 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			out := filepath.Join(t.TempDir(), "report")
			oncespec(t, append([]string{"run", "--out", out}, c.args...)...).want(t, c.code)
			before := files(t, out)
			e := oncespec(t, "judge", out, "--json").want(t, c.code)
			var again stored
			if err := json.Unmarshal([]byte(e.out), &again); err != nil {
				t.Fatalf("stdout is not JSON alone: %v\n%s", err, e.out)
			}
			first := report(t, out)
			if len(first.Verdicts) < len(`[{}]`) || !bytes.Equal(first.Verdicts, again.Verdicts) {
				t.Errorf("judged first:\n%s\njudged again:\n%s", first.Verdicts, again.Verdicts)
			}
			if first.Result != again.Result || first.Problem != again.Problem {
				t.Errorf("result %q (%s) became %q (%s)", first.Result, first.Problem, again.Result, again.Problem)
			}
			oncespec(t, "judge", out).want(t, c.code)
			if !maps.Equal(before, files(t, out)) {
				t.Error("judging changed the stored run")
			}
		})
	}
}
