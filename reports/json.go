package reports

import (
	_ "embed"
	"encoding/json"
	"io"
)

//go:embed report.schema.json
var schema []byte

// JSONSchema is the schema of report.json.
func JSONSchema() []byte { return schema }

// JSON writes the report as report.json holds it.
func JSON(w io.Writer, r *Report) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(r)
}
