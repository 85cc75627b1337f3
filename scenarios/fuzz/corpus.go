package fuzz

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/oncespec/oncespec/scenarios/fingerprint"
	"github.com/oncespec/oncespec/scenarios/rewrite"
)

// CaseSchema names the version of a case.
const CaseSchema = "oncespec.fuzzcase/v1"

// Bounds of a corpus.
const (
	mostCases    = 10000
	largestCase  = 1 << 20
	mostChanges  = 1000
	longestField = 64 << 10
)

// Case is a pair that was found once, as a folder of cases keeps it: to be tried first from then on. It says how to make the pair
// out of the operation's request, not what was sent: keys and markers are fresh each time.
type Case struct {
	Schema    string           `json:"schema"`
	Operation string           `json:"operation"`
	Trial     rewrite.Trial    `json:"trial"`
	Kind      fingerprint.Kind `json:"kind"`   // what was found
	Detail    string           `json:"detail"` // in words
	Seed      uint64           `json:"seed"`   // of the search that found it

	File string `json:"-"`
}

// CorpusError is a case that cannot be read: where, and why.
type CorpusError struct {
	File         string
	Line, Column int // 0: the file as a whole
	Err          error
}

func (e *CorpusError) Error() string {
	if e.Line == 0 {
		return fmt.Sprintf("%s: %v", e.File, e.Err)
	}
	return fmt.Sprintf("%s:%d:%d: %v", e.File, e.Line, e.Column, e.Err)
}

func (e *CorpusError) Unwrap() error { return e.Err }

// ReadCorpus reads every *.json of a folder, in the order of their names. A folder that is not there yet holds no case; "" is no
// folder. The error is a *CorpusError.
func ReadCorpus(dir string) ([]Case, error) {
	if dir == "" {
		return nil, nil
	}
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, &CorpusError{File: dir, Err: fmt.Errorf("the corpus cannot be read: %w", cause(err))}
	}
	var out []Case
	for _, e := range entries {
		if e.IsDir() || filepath.Ext(e.Name()) != ".json" {
			continue
		}
		file := filepath.Join(dir, e.Name())
		if len(out) == mostCases {
			return nil, &CorpusError{File: dir, Err: fmt.Errorf("more than %d cases; remove those that nobody needs", mostCases)}
		}
		info, err := e.Info()
		if info != nil && !info.Mode().IsRegular() {
			if info, err = os.Stat(file); err == nil && !info.Mode().IsRegular() { // what a link leads to counts
				return nil, &CorpusError{File: file, Err: errors.New("expected a file, found a pipe, a device or the like")}
			}
		}
		if err != nil || info.Size() > largestCase {
			return nil, &CorpusError{File: file, Err: fmt.Errorf("expected a case of at most %d bytes", largestCase)}
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, &CorpusError{File: file, Err: cause(err)}
		}
		c, err := ParseCase(file, text)
		if err != nil {
			return nil, err
		}
		out = append(out, c)
	}
	return out, nil
}

func cause(err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		return at.Err
	}
	return err
}

// ParseCase reads one case. Nothing unknown is passed over: a case that this version does not understand would be replayed as
// something else. The error is a *CorpusError.
func ParseCase(file string, text []byte) (Case, error) {
	var c Case
	if err := json.Unmarshal(text, &c, json.RejectUnknownMembers(true)); err != nil {
		out := &CorpusError{File: file, Line: 1, Column: 1, Err: err}
		var syntax *jsontext.SyntacticError
		var semantic *json.SemanticError
		switch {
		case errors.As(err, &syntax):
			out.Line, out.Column = position(text, syntax.ByteOffset)
			out.Err = fmt.Errorf("no case: %w", syntax.Err)
		case errors.As(err, &semantic):
			out.Line, out.Column = position(text, semantic.ByteOffset)
			out.Err = fmt.Errorf("no case: at %q: expected what %s describes", semantic.JSONPointer, CaseSchema)
			if semantic.Err != nil {
				out.Err = fmt.Errorf("no case: at %q: %w", semantic.JSONPointer, semantic.Err)
			}
		}
		return Case{}, out
	}
	c.File = file
	if err := c.check(); err != nil {
		line, column := position(text, 0)
		return Case{}, &CorpusError{File: file, Line: line, Column: column, Err: err}
	}
	return c, nil
}

func (c Case) check() error {
	if c.Schema != CaseSchema {
		return fmt.Errorf("schema: found %q, this version reads %q", c.Schema, CaseSchema)
	}
	if c.Operation == "" {
		return errors.New("operation: found none, expected the name of an operation")
	}
	if _, known := rewrite.Find(c.Trial.Rewrite); !known {
		return fmt.Errorf("trial.rewrite: found %q, expected one of `oncespec list rewrites`", c.Trial.Rewrite)
	}
	if len(c.Trial.Changes) > mostChanges {
		return fmt.Errorf("trial.changes: found %d, expected at most %d", len(c.Trial.Changes), mostChanges)
	}
	places := []string{c.Trial.Site.At}
	for _, change := range c.Trial.Changes {
		places = append(places, change.At)
		if len(change.Value) > longestField {
			return fmt.Errorf("trial.changes at %s: a value of more than %d bytes", change.At, longestField)
		}
	}
	for _, at := range places {
		if strings.HasPrefix(at, "?") {
			continue
		}
		if _, err := rewrite.ParsePointer(at); err != nil {
			return fmt.Errorf("trial: %w", err)
		}
	}
	return nil
}

// position is where a byte stands, both counted from 1.
func position(text []byte, offset int64) (line, column int) {
	before := text[:min(max(offset, 0), int64(len(text)))]
	line = bytes.Count(before, []byte("\n")) + 1
	return line, len(before) - bytes.LastIndexByte(before, '\n')
}

// CheckCorpus tells whether cases can be added to a folder, which need not be there yet. The error is a *CorpusError.
func CheckCorpus(dir string) error {
	refuse := func(err error) error {
		return &CorpusError{File: dir, Err: fmt.Errorf("no case can be added: %w", cause(err))}
	}
	for at := filepath.Clean(dir); ; at = filepath.Dir(at) {
		info, err := os.Stat(at)
		if errors.Is(err, fs.ErrNotExist) && at != filepath.Dir(at) {
			continue // it will be made
		}
		if err == nil && !info.IsDir() {
			err = fmt.Errorf("%s is no folder", at)
		}
		if err != nil {
			return refuse(err)
		}
		trial, err := os.CreateTemp(at, ".oncespec-")
		if err != nil {
			return refuse(err)
		}
		trial.Close()
		return os.Remove(trial.Name())
	}
}

// WriteCorpus adds the findings to a folder, a file each, and names the file in the finding.
func WriteCorpus(dir string, r *Report) error {
	if dir == "" {
		return nil
	}
	for _, o := range r.Operations {
		for _, f := range o.Findings {
			if err := Keep(dir, r.Seed, f); err != nil {
				return err
			}
		}
	}
	return nil
}

// Keep adds one finding to a folder, and names the file in the finding. What the folder has already stays as it is: files are named by
// what they hold. A file is whole or absent.
func Keep(dir string, seed uint64, f *Finding) error {
	if f.Case != "" {
		return nil
	}
	c := Case{Schema: CaseSchema, Operation: f.Operation, Trial: f.Trial, Kind: f.Kind, Detail: f.Detail, Seed: seed}
	text, err := json.Marshal(c, json.Deterministic(true), jsontext.WithIndent("  "))
	if err != nil {
		return fmt.Errorf("corpus: %w", err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("corpus: %w", err)
	}
	name := filepath.Join(dir, fileName(f))
	if _, err := os.Stat(name); err != nil {
		if err := os.WriteFile(name+".tmp", append(text, '\n'), 0o644); err != nil {
			return fmt.Errorf("corpus: %w", err)
		}
		if err := os.Rename(name+".tmp", name); err != nil {
			return fmt.Errorf("corpus: %w", err)
		}
	}
	f.Case = name
	return nil
}

func fileName(f *Finding) string {
	sum := sha256.Sum256([]byte(f.Operation + " " + f.Trial.ID()))
	plain := strings.Map(func(r rune) rune {
		if r == '/' || r == '^' {
			return '-'
		}
		return r
	}, f.Operation+"-"+f.Rewrite)
	return plain + "-" + hex.EncodeToString(sum[:4]) + ".json"
}
