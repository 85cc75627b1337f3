package config

import (
	stdjson "encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/goccy/go-yaml/parser"

	"github.com/oncespec/oncespec/mockapi/contract"
)

// Load reads a file. An error that is about its content is Problems, with the place of each.
func Load(path string) (*Config, error) {
	text, err := readFile(path)
	if err != nil {
		return nil, fmt.Errorf("configuration: %w", err)
	}
	c, err := Parse(path, text, os.LookupEnv)
	if err != nil {
		return nil, err
	}
	c.Path = path
	return c, nil
}

// Parse reads the text of a file. The name is what problems call it, and where a body_file is looked for: beside it. Every
// error is Problems, sorted by place; as many as can be told are. A configuration that is returned is whole: every rule
// holds, and what the file leaves out is filled in.
func Parse(name string, data []byte, env func(string) (string, bool)) (*Config, error) {
	d, problems := read(name, data)
	if len(problems) > 0 {
		return nil, problems.err()
	}
	problems, readable := d.conform()
	if !readable {
		return nil, problems.err()
	}
	c := &Config{source: d}
	if err := d.decode(c); err != nil {
		return nil, append(problems, err).err()
	}
	k := &checker{document: d, config: c, env: env, problems: problems}
	if !problems.about("/contract") {
		k.contract()
	}
	k.check()
	if err := k.problems.err(); err != nil {
		return nil, err
	}
	c.fill()
	return c, nil
}

// readFile reads one byte more than is taken, so that what is too large is told without being read.
func readFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return nil, fmt.Errorf("%s: found a folder, expected a file", path)
	}
	return io.ReadAll(io.LimitReader(f, maxBytes+1))
}

// decode fills the types; the schema has been held against the document before.
func (d *document) decode(c *Config) *Problem {
	err := json.Unmarshal(d.json, c, json.WithUnmarshalers(json.JoinUnmarshalers(
		json.UnmarshalFunc(func(text []byte, into *time.Duration) error {
			literal, err := jsontext.AppendUnquote(nil, text)
			if err == nil {
				*into, err = time.ParseDuration(string(literal))
			}
			if err != nil {
				return errDuration
			}
			return nil
		}),
		json.UnmarshalFunc(func([]byte, *contract.Contract) error { return nil }), // read over its profile, later
		json.UnmarshalFromFunc(func(dec *jsontext.Decoder, into *any) error {
			if dec.PeekKind() != '0' {
				return errors.ErrUnsupported
			}
			literal, err := dec.ReadValue()
			*into = number(literal) // keeps its spelling
			return err
		}),
	)))
	if err == nil {
		return nil
	}
	pointer, expected := "", "what the type of the field takes: "+err.Error()
	var broken *json.SemanticError
	if errors.As(err, &broken) {
		pointer = string(broken.JSONPointer)
		if broken.Err != nil {
			expected = broken.Err.Error()
			if _, after, said := strings.Cut(expected, "expected "); said {
				expected = after
			}
		}
	}
	if errors.Is(err, errDuration) {
		expected = wantedDuration
	}
	found := "something else"
	if d.has(pointer) {
		found = describe(valueAt(d.root, tokensOf(pointer)))
	}
	return d.problem(d.at(pointer), pointer, found, expected, "")
}

type number = stdjson.Number

var errDuration = errors.New("no duration")

// contract lays the `contract:` block over its profile.
func (k *checker) contract() {
	var block struct {
		Contract jsontext.Value `json:"contract"`
	}
	// The types have been read from the same text: what is wrong is told below.
	if err := json.Unmarshal(k.json, &block); err != nil || block.Contract == nil {
		block.Contract = jsontext.Value("{}")
	}
	file, err := parser.ParseBytes(block.Contract, 0) // JSON is YAML
	if err == nil {
		k.config.Contract, err = contract.Decode(file.Docs[0].Body)
	}
	k.contractProblems(err)
}

func (k *checker) contractProblems(err error) {
	if err == nil {
		return
	}
	var problem *contract.Problem
	if all, ok := err.(interface{ Unwrap() []error }); ok {
		for _, one := range all.Unwrap() {
			k.contractProblems(one)
		}
		return
	}
	if !errors.As(err, &problem) {
		k.add("/contract", "what cannot be read", "parameters of a contract: "+err.Error())
		return
	}
	pointer := "/contract" + undotted(problem.Path)
	found := quote(problem.Found)
	if problem.Found == "" {
		found = "nothing"
	}
	near := ""
	if problem.Near != "" {
		near = quote(problem.Near)
	}
	k.problems = append(k.problems, k.document.problem(k.at(pointer), pointer, found, problem.Expected, near))
}
