package reports

import (
	"fmt"
	"slices"
	"strings"

	"github.com/oncespec/oncespec/scenarios/verdict"
)

// RerunCommand is the one command that runs the verdict's requirement on its operation again, with the same seed. What played a
// schedule again plays it once more.
func (r *Report) RerunCommand(v verdict.Verdict) string {
	args := slices.Clone(r.Rerun)
	if len(args) == 0 {
		args = []string{"oncespec", "run"}
	}
	if replay := len(args) > 1 && args[1] == "replay"; !replay {
		if !slices.Contains(args, "--seed") {
			args = append(args, "--seed", fmt.Sprint(r.Seed))
		}
		args = append(args, "-r", v.ID)
		for _, o := range v.Operations {
			args = append(args, "--operation", o)
		}
	}
	return commandLine(args)
}

// again is the command line of the whole run.
func (r *Report) again() string { return commandLine(slices.Clone(r.Rerun)) }

func commandLine(args []string) string {
	for i, a := range args {
		args[i] = quote(a)
	}
	return strings.Join(args, " ")
}

// quote writes a word so that a POSIX shell reads it back.
func quote(s string) string {
	if s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:=@%+,") == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
