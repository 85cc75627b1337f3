package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"

	"github.com/oncespec/oncespec/mockapi"
	"github.com/oncespec/oncespec/scenarios/display"
	"github.com/oncespec/oncespec/scenarios/storm"
)

// Exit codes beyond those of a report.
const (
	exitUsage   = 4
	exitHarness = 5
)

// CLI is the command line: one field a verb.
type CLI struct {
	Run     RunCmd     `cmd:"" help:"Run the requirements against a target and write the report."`
	Plan    PlanCmd    `cmd:"" help:"Show what a run would do, without contacting the target."`
	Fuzz    FuzzCmd    `cmd:"" help:"Search for a pair of requests that the target confuses, and show it in its smallest form."`
	Replay  ReplayCmd  `cmd:"" help:"Play the schedule of a storm again."`
	Judge   JudgeCmd   `cmd:"" help:"Judge a stored run again."`
	Report  ReportCmd  `cmd:"" help:"Merge the folders of a run's shards."`
	Mock    MockCmd    `cmd:"" help:"Serve the reference mock, or a variant with one defect."`
	Canon   CanonCmd   `cmd:"" help:"Print the canonical form and digest of a JSON body."`
	List    ListCmd    `cmd:"" help:"List requirements, profiles, rewrites, mutants or scenarios."`
	Explain ExplainCmd `cmd:"" help:"Explain a requirement, a setting of the configuration, or whatever else has a name."`
	Schema  SchemaCmd  `cmd:"" help:"Print a JSON Schema: of the configuration or of the report."`
	Racy    RacyCmd    `cmd:"" hidden:""`
	Version VersionCmd `cmd:"" help:"Print the version."`

	VersionFlag kong.VersionFlag `name:"version" help:"Print the version."`
}

// streams is where a verb writes: data to out, words for people to err.
type streams struct{ out, err io.Writer }

func main() {
	if len(os.Args) > 2 && os.Args[1] == asMock {
		os.Exit(mockapi.Main(os.Args[3:], os.Stderr))
	}
	os.Exit(start(os.Args[1:], streams{os.Stdout, os.Stderr}))
}

// asMock as the first argument makes the program the built-in mock. A run starts it dozens of times, so its arguments are not
// parsed as a command line first.
const asMock = "as-mock"

// start runs one command line and returns its exit code.
func start(args []string, io streams) (code int) {
	var cli CLI
	exited := -1
	parser, err := kong.New(&cli, kong.Name("oncespec"), kong.Writers(io.out, io.err), kong.UsageOnError(),
		kong.Vars{"version": "oncespec " + version(), "storm": strconv.Itoa(storm.Usual), "shrink": storm.UsualShrink.String()},
		kong.Exit(func(c int) { exited = c }),
		kong.Description("Proves whether a write API does a retried write exactly once.\n\n"+
			"  oncespec run                             the built-in mock, as it stands\n"+
			"  oncespec run -c oncespec.yaml            your API\n"+
			"  oncespec run --mutant check-then-insert  what a defect looks like\n"+
			"  oncespec explain race/one-effect         what is asked and why\n"+
			"  oncespec help run                        what a verb takes\n\n"+
			"Exit codes: 0 conformant, 1 not conformant, 2 inconclusive, 3 environment, 4 usage or configuration, 5 oncespec itself, 130 interrupted."))
	if err != nil {
		fmt.Fprintln(io.err, "oncespec:", err)
		return exitHarness
	}
	defer func() {
		if e := recover(); e != nil {
			fmt.Fprintf(io.err, "oncespec: this is a defect of oncespec itself, please report it: %v\n", e)
			code = exitHarness
		}
	}()
	switch {
	case len(args) == 0:
		args = []string{"--help"}
	case args[0] == "help":
		args = append(args[1:], "--help")
	}
	cmd, err := parser.Parse(args)
	if exited >= 0 { // --help
		return exited
	}
	if err != nil {
		complain(io, err.Error()+whatNext(err))
		return exitUsage
	}
	cmd.BindTo(context.Background(), (*context.Context)(nil))
	err = cmd.Run(io)
	var with *exitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &with):
		if with.err != nil {
			complain(io, with.err.Error())
		}
		return with.code
	}
	complain(io, err.Error())
	return exitUsage
}

// tidily returns the context of a verb from the point where there is something to clean up: from then on a signal ends the
// context, and the program ends by itself once all is cleaned up; further signals do not cut that short. Before that point
// nothing is lost by dying, and reading (a pipe that nobody writes to) may block for ever, so signals keep their default
// effect.
func tidily(ctx context.Context) context.Context {
	ctx, _ = signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	return ctx
}

// complain prints an error. Errors quote files and targets, whose text must not move the cursor.
func complain(to streams, what string) {
	_ = fit(to.err, 2, func(w io.Writer) error {
		_, err := fmt.Fprintln(w, "oncespec:", display.Text(what))
		return err
	})
}

// whatNext suggests what to type in place of a command line that cannot be parsed.
func whatNext(err error) string {
	var wrong *kong.ParseError
	if !errors.As(err, &wrong) || wrong.Context == nil {
		return ""
	}
	if file, found := strings.CutPrefix(err.Error(), "unexpected argument "); found && (strings.HasSuffix(file, ".yaml") || strings.HasSuffix(file, ".yml")) {
		return "; a configuration is named with -c " + file
	}
	verb := "oncespec"
	if node := wrong.Context.Selected(); node != nil {
		verb = strings.TrimSuffix(node.FullPath(), " ") // a verb of a verb, such as report merge
	}
	return "; see `" + verb + " --help`"
}

// exitError ends with a code of its own; a nil err was already told.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string { return fmt.Sprintf("exit %d: %v", e.code, e.err) }
func (e *exitError) Unwrap() error { return e.err }
