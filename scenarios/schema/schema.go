package schema

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Schema is what a request body may be.
type Schema struct {
	root *jsonschema.Schema
}

// largest bounds a file, in bytes.
const largest = 16 << 20

// Load reads a JSON Schema, written in JSON or YAML. References to other files are followed, those to the network are not.
func Load(file string) (*Schema, error) {
	doc, err := readDocument(file)
	if err != nil {
		return nil, err
	}
	return compile(file, doc, "")
}

func readDocument(file string) (any, error) {
	text, err := readFile(file)
	if err != nil {
		return nil, err
	}
	return parse(text)
}

// parse reads JSON or YAML.
func parse(text []byte) (any, error) {
	if trimmed := bytes.TrimSpace(text); len(trimmed) == 0 || trimmed[0] != '{' {
		plain, err := fromYAML(text)
		if err != nil {
			return nil, err
		}
		text = plain
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("no JSON: %w", err)
	}
	if deep(doc, mostLevels) {
		return nil, fmt.Errorf("expected a document of at most %d levels", mostLevels)
	}
	return doc, nil
}

// mostLevels bounds the levels of a document: to check a schema takes time that grows with their square.
const mostLevels = 500

func deep(doc any, left int) bool {
	switch v := doc.(type) {
	case map[string]any:
		for _, below := range v {
			if left == 0 || deep(below, left-1) {
				return true
			}
		}
	case []any:
		for _, below := range v {
			if left == 0 || deep(below, left-1) {
				return true
			}
		}
	}
	return false
}

func readFile(file string) ([]byte, error) {
	info, err := os.Stat(file)
	if err != nil {
		return nil, plain(err)
	}
	if info.IsDir() || info.Size() > largest {
		return nil, fmt.Errorf("expected a file of at most %d bytes", largest)
	}
	text, err := readUpTo(file, largest)
	if err != nil {
		return nil, plain(err)
	}
	return text, nil
}

// readUpTo reads no more than that: what is no plain file does not tell its size, and may never end.
func readUpTo(file string, most int64) ([]byte, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(text)) > most {
		err = fmt.Errorf("expected a file of at most %d bytes", most)
	}
	return text, err
}

// compile reads the schema at a place of a document.
func compile(file string, doc any, pointer string) (*Schema, error) {
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	c.UseLoader(local{})
	if err := c.AddResource(file, doc); err != nil {
		return nil, fmt.Errorf("no JSON Schema: %s", firstLine(err))
	}
	root, err := c.Compile(file + "#" + pointer)
	if err != nil {
		return nil, fmt.Errorf("no JSON Schema: %s", firstLine(err))
	}
	return &Schema{root: root}, nil
}

// local follows references to files only.
type local struct{}

func (local) Load(url string) (any, error) {
	file, err := jsonschema.FileLoader{}.ToFile(url)
	if err != nil {
		return nil, fmt.Errorf("%s: only files are followed", url)
	}
	return readDocument(file)
}

// Validate holds a body against the schema. The error says where it does not fit.
func (s *Schema) Validate(body []byte) error {
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("no JSON: %w", err)
	}
	err = s.root.Validate(value)
	var wrong *jsonschema.ValidationError
	if errors.As(err, &wrong) {
		for len(wrong.Causes) > 0 {
			wrong = wrong.Causes[0]
		}
		at := "/" + strings.Join(wrong.InstanceLocation, "/")
		lines := strings.Split(wrong.Error(), "\n")
		_, what, found := strings.Cut(lines[len(lines)-1], "': ")
		if !found {
			what = lines[len(lines)-1]
		}
		return fmt.Errorf("at %s: %s", at, what)
	}
	return err
}

func plain(err error) error {
	var at *os.PathError
	if errors.As(err, &at) {
		return at.Err
	}
	return err
}

func firstLine(err error) string {
	line, _, _ := strings.Cut(strings.TrimSpace(err.Error()), "\n")
	return line
}
