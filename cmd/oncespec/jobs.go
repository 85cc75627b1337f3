package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/oncespec/oncespec/reports"
	"github.com/oncespec/oncespec/scenarios/run"
	"github.com/oncespec/oncespec/scenarios/target/config"
	"github.com/oncespec/oncespec/scenarios/verdict"
	"github.com/oncespec/oncespec/suites"
)

// stopping bounds how long a shard may take to end cleanly. It bounds itself, by less.
const stopping = time.Minute

// shardDir is the folder of a shard inside the run's.
func shardDir(out string, index int) string { return filepath.Join(out, "shard-"+strconv.Itoa(index)) }

// inShards runs the parts of the plan at once, each in a process of its own, and merges what they leave.
func (c *RunCmd) inShards(ctx context.Context, io streams, cfg *config.Config) error {
	if c.Shard != "" {
		return fmt.Errorf("--shard and --jobs exclude one another: a shard is one of the parts that --jobs makes")
	}
	if err := suites.MayShare(cfg); err != nil {
		return fmt.Errorf("--jobs %d: %w", c.Jobs, err)
	}
	if c.Seed == 0 {
		c.Seed = rand.Uint64()>>12 | 1 // one for all
	}
	plan, err := run.NewPlan(cfg, c.selection(), c.Seed)
	if err != nil {
		return err
	}
	n := min(c.Jobs, len(plan.Steps))
	release, err := own(c.Out)
	if err != nil {
		return err
	}
	defer release()
	if err := run.ShardsEnded(c.Out); err != nil {
		return err
	}
	if err := run.Prepare(c.Out); err != nil {
		return &exitError{reports.Environment.ExitCode(), err}
	}
	if err := run.ClearShards(c.Out); err != nil {
		return &exitError{reports.Environment.ExitCode(), err}
	}
	shown := newProgress(io.err, c.Quiet)
	all, err := c.start(ctx, shown, n)
	if errors.Is(err, context.Canceled) {
		return &exitError{reports.Interrupted.ExitCode(), errors.New("interrupted before all shards had begun: there is nothing to report")}
	}
	if err != nil {
		return &exitError{exitHarness, err}
	}
	defer context.AfterFunc(ctx, func() { shown.Doing("interrupted: the shards clean up") })()
	var dirs []string
	for i, s := range all {
		s.wait()
		if _, err := os.Stat(filepath.Join(shardDir(c.Out, i+1), "plan.json")); err == nil {
			dirs = append(dirs, shardDir(c.Out, i+1))
		}
	}
	shown.end()
	interrupted := ctx.Err() != nil
	for i, s := range all {
		if words := s.words(interrupted); words != "" {
			complain(io, fmt.Sprintf("shard %d/%d: %s", i+1, n, words))
		}
	}
	if len(dirs) == 0 && interrupted {
		return &exitError{reports.Interrupted.ExitCode(), errors.New("interrupted before any shard had begun: there is nothing to report")}
	}
	if len(dirs) == 0 {
		code := all[0].code() // it has told why
		if code < 0 {
			code = exitHarness
		}
		return &exitError{code: code}
	}
	report, err := merging{dirs: dirs, out: c.Out, owned: true, allowInconclusive: c.AllowInconclusive, interrupted: interrupted}.do()
	if err != nil {
		return err
	}
	return show(io, report, c.Out, c.JSON)
}

// args are the command line of a shard.
func (c *RunCmd) args(index, of int) []string {
	args := append(c.rerun()[1:], "--child", "--shard", fmt.Sprintf("%d/%d", index, of), "--out", shardDir(c.Out, index))
	args = append(args, c.selection().Flags()...)
	if c.AllowInconclusive {
		args = append(args, "--allow-inconclusive")
	}
	return args
}

// shard is a process that runs one part.
type shard struct {
	cmd  *exec.Cmd
	done chan struct{}

	mu   sync.Mutex
	said []string // that is no progress
	err  error
}

func (c *RunCmd) start(ctx context.Context, shown *progress, n int) (all []*shard, err error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("the shards cannot be started: %w", err)
	}
	sum := &sum{shown: shown, done: make([]int, n), of: make([]int, n)}
	for i := range n {
		s := &shard{cmd: exec.CommandContext(ctx, self, c.args(i+1, n)...), done: make(chan struct{})}
		in, err := s.cmd.StdinPipe()
		if err != nil {
			return nil, err
		}
		said, err := s.cmd.StderrPipe()
		if err != nil {
			return nil, err
		}
		// A shard that hears no more from us ends cleanly, however we ended.
		s.cmd.Cancel = in.Close
		s.cmd.WaitDelay = stopping
		if err := s.cmd.Start(); err != nil {
			for _, other := range all {
				_ = other.cmd.Cancel()
				other.wait()
			}
			return nil, fmt.Errorf("shard %d/%d cannot be started: %w", i+1, n, err)
		}
		go s.follow(said, i, sum)
		all = append(all, s)
	}
	return all, nil
}

// follow reads what a shard says until it ends.
func (s *shard) follow(from io.Reader, index int, sum *sum) {
	defer close(s.done)
	lines := bufio.NewScanner(from)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if !sum.take(index, lines.Text()) {
			s.mu.Lock()
			s.said = append(s.said, lines.Text())
			s.mu.Unlock()
		}
	}
	_, _ = io.Copy(io.Discard, from)
	err := s.cmd.Wait()
	s.mu.Lock()
	s.err = err
	s.mu.Unlock()
}

func (s *shard) wait() { <-s.done }

func (s *shard) code() int { return s.cmd.ProcessState.ExitCode() }

// words are the shard's error output, or how its process ended where it was killed, but by an interrupt.
func (s *shard) words(interrupted bool) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	text := strings.Join(s.said, "\n")
	if s.code() < 0 && s.err != nil && !interrupted {
		text = strings.TrimSpace(text + "\n" + s.err.Error())
	}
	return strings.TrimPrefix(text, "oncespec: ")
}

// progressMark begins a line that tells progress to a program.
const progressMark = "\x01progress "

// reporting tells a shard's progress to the process that started it.
type reporting struct {
	mu sync.Mutex
	w  io.Writer
}

func (r *reporting) Doing(what string) { r.say("doing", what) }
func (r *reporting) Started(n, of int, s run.Step) {
	r.say("started", fmt.Sprintf("%d %d %s", n, of, s.Name()))
}
func (r *reporting) end() {}

// Finished counts what failed.
func (r *reporting) Finished(_, _ int, _ run.Step, vs []verdict.Verdict) {
	if n := failures(vs); n > 0 {
		r.say("failed", strconv.Itoa(n))
	}
}

func (r *reporting) say(kind, what string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	fmt.Fprintf(r.w, "%s%s %s\n", progressMark, kind, what)
}

// sum is the progress of all shards as that of one run.
type sum struct {
	mu       sync.Mutex
	shown    *progress
	done, of []int
	tenth    int // of the steps that were told
}

// take reads a line of a shard; false: it is no progress.
func (s *sum) take(index int, line string) bool {
	line, found := strings.CutPrefix(line, progressMark)
	if !found {
		return false
	}
	kind, rest, _ := strings.Cut(line, " ")
	s.mu.Lock()
	defer s.mu.Unlock()
	switch kind {
	case "doing":
		s.shown.Doing(fmt.Sprintf("shard %d: %s", index+1, rest))
	case "failed":
		n, _ := strconv.Atoi(rest)
		s.shown.failed(n)
	case "started":
		var n, of int
		if _, err := fmt.Sscan(rest, &n, &of); err != nil {
			return false
		}
		s.done[index], s.of[index] = n, of
		s.step(strings.SplitN(rest, " ", 3)[2])
	}
	return true
}

// step shows how far all are together: each step where the line can be rewritten, else a line a tenth.
func (s *sum) step(name string) {
	n, of := total(s.done), total(s.of)
	if !s.shown.live && n*10/max(of, 1) <= s.tenth {
		return
	}
	s.tenth = n * 10 / max(of, 1)
	scenario, operation, _ := strings.Cut(name, " ")
	s.shown.pack = "" // they are mixed
	s.shown.Started(n, of, run.Step{Scenario: scenario, Operation: operation})
}

func total(list []int) (all int) {
	for _, n := range list {
		all += n
	}
	return all
}

// orphaned ends the context when stdin ends: the process that started this shard is gone, or wants it to stop.
func orphaned(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		cancel()
	}()
	return ctx, cancel
}

// discard swallows the table of a shard: its report is in its folder.
type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }
