package reports

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"io"

	"github.com/oncespec/oncespec/scenarios/display"
)

//go:embed report.schema.json
var schema []byte

// JSONSchema is the schema of report.json.
func JSONSchema() []byte { return schema }

// JSON writes the report as report.json holds it.
func JSON(w io.Writer, r *Report) error {
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	if err := e.Encode(r); err != nil {
		return err
	}
	_, err := w.Write(display.JSON(text.Bytes())) // it may go to a terminal
	return err
}
