package fuzz

import (
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
)

// Bounds of a corpus.
const (
	mostCases   = 10000
	largestCase = 1 << 20
)

// CorpusError says why a corpus cannot be read or written. Of a case that is wrong Err is a *jsonfile.Error, with the place.
type CorpusError struct {
	File string // empty: Err names it
	Err  error
}

func (e *CorpusError) Error() string {
	if e.File == "" {
		return e.Err.Error()
	}
	return fmt.Sprintf("%s: %v", e.File, e.Err)
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
		c, err := parseCase(file, text)
		if err != nil {
			return nil, &CorpusError{Err: err}
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

// about is what a new folder says of itself; it lets git keep the folder while it holds no case.
const about = `# Pairs of requests that were confused once

Each *.json here is a pair of requests that oncespec found the API to confuse. ` + "`oncespec fuzz --corpus`" + ` with this folder tries
them first, and adds what it finds. Commit them: they are regression tests. A case that nobody needs may be removed.
`

// MakeCorpus makes the folder where it is not there yet, so that it can be committed and cached before anything was found.
func MakeCorpus(dir string) error {
	if _, err := os.Stat(dir); err == nil || !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("corpus: %w", err)
	}
	if err := os.WriteFile(filepath.Join(dir, "README.md"), []byte(about), 0o644); err != nil {
		return fmt.Errorf("corpus: %w", err)
	}
	return nil
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

// Keep adds one finding to a folder, and names the file in the finding. What the folder has already stays as it is: files are
// named by what they hold. A file is whole or absent.
func Keep(dir string, seed uint64, f *Finding) error {
	if f.Case != "" {
		return nil
	}
	c := Case{Schema: caseSchema, Operation: f.Operation, Trial: f.Trial, Kind: f.Kind, Detail: f.Detail, Seed: seed}
	text, err := json.Marshal(c, json.Deterministic(true), jsontext.WithIndent("  "))
	if err != nil {
		return fmt.Errorf("corpus: %w", err)
	}
	if err := MakeCorpus(dir); err != nil {
		return err
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
