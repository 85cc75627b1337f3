package schema_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/oncespec/oncespec/scenarios/rewrite"
	"github.com/oncespec/oncespec/scenarios/schema"
)

// One schema often stands for requests and answers: what only answers carry is marked.
const both = `
openapi: VERSION
info: {title: orders, version: "1"}
paths:
  /orders:
    post:
      requestBody: {content: {application/json: {schema: {$ref: "#/components/schemas/Order"}}}}
      responses: {"201": {description: made}}
components:
  schemas:
    Stamp: {type: string, format: date-time, readOnly: true}
    Identified:
      type: object
      properties:
        id: {type: string, format: uuid, readOnly: true}
        created: {$ref: "#/components/schemas/Stamp"}
        ref: {type: string}
    Order:
      allOf:
        - {$ref: "#/components/schemas/Identified"}
        - type: object
          required: [id, created, ref, count]
          properties:
            count: {type: integer, format: int32}
            total: {type: integer, format: int64, minimum: 1}
            term: {type: string, format: duration}
`

func TestWhatOnlyAnswersCarryIsNotSent(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"3.0.3", "3.1.0"} {
		file := filepath.Join(t.TempDir(), "openapi.yaml")
		if err := os.WriteFile(file, []byte(strings.Replace(both, "VERSION", version, 1)), 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := schema.LoadOpenAPI(file, "POST", "/orders")
		if err != nil {
			t.Fatal(err)
		}
		const body = `{"ref":"m-1","count":1}`
		if err := s.Validate([]byte(body)); err != nil {
			t.Errorf("%s: a request without what only answers carry: %v", version, err)
		}
		for _, bad := range []string{`{"ref":"m-1"}`, `{"ref":"m-1","count":2147483648}`, `{"ref":"m-1","count":1,"total":0}`, `{"ref":"m-1","count":1,"total":9223372036854775808}`} {
			if s.Validate([]byte(bad)) == nil {
				t.Errorf("%s: %s fits", version, bad)
			}
		}
		sample := sampleOf(t, body)
		root, err := rewrite.Parse([]byte(body))
		if err != nil {
			t.Fatal(err)
		}
		vary := s.Vary(root, []string{"/ref"})
		text, err := json.Marshal(vary["/count"])
		if err != nil || len(vary) != 3 || string(text) != `{"type":"integer","min":-2147483648,"max":2147483647}` {
			t.Errorf("%s: what may vary is %v, %s; want count, total and term", version, vary, text)
		}
		terms := 0
		drawn := rapid.Custom(func(t *rapid.T) string {
			changed, err := sample.With(s.Changes(t, sample, []string{"/ref"})...)
			if err != nil {
				return err.Error()
			}
			return string(changed.Request().Body)
		})
		for seed := range 50 {
			one := drawn.Example(seed)
			if strings.Contains(one, `"id"`) || strings.Contains(one, `"created"`) || s.Validate([]byte(one)) != nil {
				t.Errorf("%s: drawn %s", version, one)
			}
			terms += strings.Count(one, `"term":"P`)
		}
		if terms == 0 {
			t.Errorf("%s: no duration was drawn", version)
		}
	}
}
