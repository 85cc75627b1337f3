package main

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/oncespec/oncespec/reports"
	"github.com/oncespec/oncespec/scenarios/run"
)

// ReportCmd works on what runs left.
type ReportCmd struct {
	Merge MergeCmd `cmd:"" help:"Merge the folders of a run's shards into one, and judge them together."`
}

// MergeCmd merges shards.
type MergeCmd struct {
	Dirs     []string `arg:"" name:"dir" help:"Output folders of run --shard, in any order."`
	OutFlags `kong:"set='out=oncespec-report',set='holds=the merged reports, plan and histories'"`
	LeniencyFlags
}

// Help is shown under --help.
func (MergeCmd) Help() string {
	return "The shards are those of one run: of one plan, seed and version. One that is missing, or that died, leaves its rows inconclusive.\n\n" +
		"Example:\n  oncespec run -c oncespec.yaml --seed 7 --shard 1/2 --out one\n  oncespec run -c oncespec.yaml --seed 7 --shard 2/2 --out two\n  oncespec report merge one two --out report"
}

// Run is called by kong.
func (c *MergeCmd) Run(io streams) error {
	report, err := merging{dirs: c.Dirs, out: c.Out, allowInconclusive: c.AllowInconclusive}.do()
	if err != nil {
		return err
	}
	return show(io, report, c.Out, c.JSON)
}

// completing are the command lines that would make a merged run whole: what is missing in folders of its own, and all merged again.
func completing(plan *run.Plan, dirs []string, out string) [][]string {
	dirs = slices.Clone(dirs)
	all := plan.Missing(func(s run.ShardEnd) string {
		if s.Dir == "" {
			index, _, _ := strings.Cut(s.Shard, "/")
			s.Dir = "shard-" + index
			dirs = append(dirs, s.Dir)
		}
		return s.Dir
	})
	if len(all) == 0 {
		return nil
	}
	return append(all, append(append([]string{"oncespec", "report", "merge"}, dirs...), "--out", out))
}

// merging joins the folders of shards.
type merging struct {
	dirs              []string
	out               string
	owned             bool // the output folder is this program's already
	allowInconclusive bool
	interrupted       bool // the run was: a shard that left nothing had not begun
}

// do writes what the shards come to.
func (m merging) do() (*reports.Report, error) {
	dirs, out := m.dirs, m.out
	if slices.ContainsFunc(dirs, func(dir string) bool { return sameFolder(dir, out) }) {
		return nil, fmt.Errorf("--out %s is one of the folders to be merged: choose another", out)
	}
	plan, histories, err := run.Merge(dirs)
	if err != nil {
		return nil, err
	}
	parts, began, took, err := shards(plan, dirs, m.interrupted)
	if err != nil {
		return nil, err
	}
	if !m.owned {
		release, err := own(out)
		if err != nil {
			return nil, err
		}
		defer release()
	}
	if err := run.Prepare(out); err != nil {
		return nil, &exitError{reports.Environment.ExitCode(), err}
	}
	if err := run.Save(out, plan, histories); err != nil {
		return nil, &exitError{writeCode(err), err}
	}
	report := reports.Merged(reports.Run{Version: version(), Target: reports.Target{Name: plan.Target, URL: plan.URL}, Contract: plan.Contract, Seed: plan.Seed,
		Started: began, Took: took, Rerun: plan.Rerun, Verdicts: run.Judge(plan, histories), Histories: histories, AllowInconclusive: m.allowInconclusive}, parts)
	if !m.interrupted {
		report.Complete = completing(plan, dirs, out)
	}
	if err := reports.Write(out, report); err != nil {
		return nil, &exitError{writeCode(err), err}
	}
	return report, nil
}

// sameFolder also knows a folder under another spelling of its name.
func sameFolder(a, b string) bool {
	one, errA := os.Stat(a)
	other, errB := os.Stat(b)
	return a == b || errA == nil && errB == nil && os.SameFile(one, other)
}

// shards are what each of them ended with, and the time from the first's beginning to the last's end.
func shards(plan *run.Plan, dirs []string, interrupted bool) (parts []reports.ShardResult, began time.Time, took time.Duration, err error) {
	var until time.Time
	for _, p := range plan.ShardEnds {
		part := reports.Missing(p.Shard)
		var from time.Time
		if p.Dir != "" {
			var lasted time.Duration
			if part, from, lasted, err = reports.ReadShard(p.Dir, p.Shard); err != nil {
				return nil, began, 0, err
			}
			if !from.IsZero() && (began.IsZero() || from.Before(began)) {
				began = from
			}
			if end := from.Add(lasted); end.After(until) {
				until = end
			}
		}
		if part.Done, part.Of = p.Done, p.Of; interrupted && from.IsZero() {
			part.Result, part.Problem = reports.Interrupted, ""
		}
		parts = append(parts, part)
	}
	if !began.IsZero() {
		took = until.Sub(began)
	}
	return parts, began, took, nil
}

// show prints a report and ends with its code.
func show(to streams, report *reports.Report, dir string, asJSON bool) error {
	var err error
	if asJSON {
		err = reports.JSON(to.out, report)
	} else {
		err = fit(to.out, 4, func(w io.Writer) error { return reports.Table(w, report, dir, coloured(to.out)) })
	}
	if err != nil {
		return &exitError{exitHarness, fmt.Errorf("the report cannot be written: %w", err)}
	}
	if code := report.Result.ExitCode(); code != 0 {
		return &exitError{code: code}
	}
	return nil
}
