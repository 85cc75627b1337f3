package reports

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// ShardResult is what one shard of a run ended with.
type ShardResult struct {
	Shard   string `json:"shard"`
	Result  Result `json:"result" jsonschema:"enum=conformant,enum=not-conformant,enum=inconclusive,enum=environment,enum=error,enum=interrupted"`
	Problem string `json:"problem,omitempty"`
	Done    int    `json:"done"` // how many of its scenarios it did
	Of      int    `json:"of"`
}

// ReadShard reads the report that a shard left in its folder, with when it began and how long it took. Without one it died.
func ReadShard(dir, shard string) (p ShardResult, began time.Time, took time.Duration, err error) {
	path := filepath.Join(dir, "report.json")
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return ShardResult{Shard: shard, Result: Broken, Problem: "it left no report: it died, or was killed"}, began, 0, nil
	}
	var r Report
	if err == nil {
		err = json.Unmarshal(data, &r)
	}
	if err == nil && r.Schema != Schema {
		err = fmt.Errorf("schema is %q, this version reads %q", r.Schema, Schema)
	}
	if err != nil {
		return p, began, 0, fmt.Errorf("%s: %w", path, err)
	}
	return ShardResult{Shard: shard, Result: r.Result, Problem: r.Problem}, r.Started, time.Duration(r.DurationMS) * time.Millisecond, nil
}

// Missing is a shard of which nothing was given.
func Missing(shard string) ShardResult {
	return ShardResult{Shard: shard, Result: Undecided, Problem: missing}
}

const missing = "it is missing"

// Merged sums up a run of which shards did the parts. What one proved against the target stands, whatever became of another;
// else the worst counts. A run of which a part is missing is never conformant.
func Merged(r Run, parts []ShardResult) *Report {
	rep := New(r)
	rep.Shards = parts
	for _, ill := range []Result{Interrupted, Broken, Environment, Undecided} {
		i := slices.IndexFunc(parts, func(p ShardResult) bool { return p.Result == ill && (ill != Undecided || p.Problem == missing) })
		switch {
		case i < 0 || ill != Interrupted && rep.Summary.Fail > 0:
			continue
		case ill == Interrupted:
			rep.Result, rep.Problem = ill, ""
			return rep
		}
		rep.Result, rep.Problem = ill, "shard "+parts[i].Shard+" ended early"
		if ill == Undecided {
			rep.Problem = "shard " + parts[i].Shard + " is missing"
		}
		return rep
	}
	return rep
}

// troubles are the shards that did not come to a verdict, a line each, and, where the run was interrupted, how far the others came.
func (r *Report) troubles() (lines []string) {
	for _, p := range r.Shards {
		line := "shard " + p.Shard
		done := fmt.Sprintf("%d of %s", p.Done, plural(p.Of, "scenario"))
		switch {
		case p.Result == Interrupted:
			line += " was interrupted after " + done
		case p.Result == Broken || p.Result == Environment:
			line += fmt.Sprintf(" ended early (%s), after %s", p.Result, done)
		case r.Result == Interrupted:
			line += " had come to its end"
		default:
			continue
		}
		if p.Problem != "" {
			line += ": " + p.Problem
		}
		lines = append(lines, line)
	}
	return lines
}
