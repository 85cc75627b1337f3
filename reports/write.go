package reports

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// formats are the files of a report, by name.
var formats = []struct {
	name   string
	render func(io.Writer, *Report) error
}{
	{"report.json", JSON},
	{"report.xml", JUnit},
	{"report.md", Markdown},
	{"report.html", HTML},
}

// Write renders every format into the folder; each file is whole or absent, and where report.json is, all are.
func Write(dir string, r *Report) error {
	var files []file
	for _, f := range formats {
		files = append(files, file{f.name, func(w io.Writer) error { return f.render(w, r) }})
	}
	return write(dir, files)
}

// file is one file of a report.
type file struct {
	name   string
	render func(io.Writer) error
}

// write renders files into a folder; each is whole or absent, and where the first one is, all are.
func write(dir string, files []file) error {
	for _, f := range files {
		var b bytes.Buffer
		if err := f.render(&b); err != nil {
			return fmt.Errorf("%s: %w", f.name, err)
		}
		path := filepath.Join(dir, f.name)
		if err := os.WriteFile(path+".tmp", b.Bytes(), 0o644); err != nil {
			os.Remove(path + ".tmp")
			return fmt.Errorf("%s cannot be written: %w", path, err)
		}
	}
	for _, f := range slices.Backward(files) { // the first one last
		path := filepath.Join(dir, f.name)
		if err := os.Rename(path+".tmp", path); err != nil {
			return fmt.Errorf("%s cannot be written: %w", path, err)
		}
	}
	return nil
}

// Rejudged is New for a stored run: what only the run itself knew (when, how long, whether it was interrupted) is taken from
// the report that it left in the folder, if there is one.
func Rejudged(dir string, r Run) (*Report, error) {
	rep := New(r)
	path := filepath.Join(dir, "report.json")
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return rep, nil
	}
	if err != nil {
		return nil, err
	}
	var before Report
	if err := json.Unmarshal(data, &before); err != nil {
		return nil, fmt.Errorf("%s: %w; remove the file to judge without it", path, err)
	}
	if before.Schema != Schema {
		return nil, fmt.Errorf("%s: schema is %q, this version reads %q", path, before.Schema, Schema)
	}
	rep.Started, rep.DurationMS, rep.Shard, rep.Shards = before.Started, before.DurationMS, before.Shard, before.Shards
	switch before.Result {
	case Interrupted, Environment, Broken:
		rep.Result, rep.Problem = before.Result, before.Problem
	case Undecided:
		rep.Problem = before.Problem // a shard is missing
	}
	return rep, nil
}
