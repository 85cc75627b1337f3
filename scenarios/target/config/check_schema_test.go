package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/oncespec/oncespec/scenarios/target/config"
)

func TestASchemaSaysWhatMayVary(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("order.json", `{"type":"object","required":["ref","amount"],"properties":{"ref":{"type":"string"},"account":{"type":"string"},
		"amount":{"type":"integer","minimum":1},"note":{"type":"string","maxLength":9},"kind":{"enum":["a","b"]}}}`)
	write("api.yaml", "openapi: 3.1.0\ninfo: {title: t, version: '1'}\npaths:\n  /orders:\n    post:\n      requestBody: {content: {application/json: {schema: {$ref: order.json}}}}\n      responses: {'201': {description: made}}\n")
	parse := func(body, line string) (*config.Config, error) {
		return config.Parse(filepath.Join(dir, "oncespec.yaml"), []byte(`target: {url: "http://127.0.0.1:1"}
operations:
  create-order:
    setup: [{name: account, method: POST, path: /accounts}]
    request: {method: POST, path: "/orders?dry=0", body: `+body+`}
    unique: [/ref]
`+line+"\n"), nil)
	}
	const body = `{ref: r, account: "{setup.account:/id}", amount: 5, kind: a}`
	for _, line := range []string{"    schema: order.json", "    openapi: api.yaml"} {
		cfg, err := parse(body, line+"\n    vary: {/kind: {enum: [a]}}")
		if err != nil {
			t.Fatal(err)
		}
		op := cfg.Operations["create-order"]
		if op.Body == nil || len(op.Vary) != 3 || op.Vary["/amount"].Min != "1" || !op.Vary["/note"].Optional || len(op.Vary["/kind"].Enum) != 1 {
			t.Errorf("%s: %+v; want amount and note from the schema, and kind as the file says it", line, op.Vary)
		}
		if strings.Join(op.Pinned, " ") != "/ref /account" {
			t.Errorf("%s: pinned %v, want the marker and what is filled in", line, op.Pinned)
		}
	}
	for line, says := range map[string]string{
		"    schema: none.json":                          `7:13: operations.create-order.schema: found "none.json" (no such file or directory)`,
		"    schema: ''":                                 "7:13: operations.create-order.schema: found nothing",
		"    schema: api.yaml\n    openapi: api.yaml":    "openapi",
		"    openapi: order.json":                        "operations.create-order.openapi",
		"    schema: oncespec.yaml\n    vary: {/no: {}}": "/no",
	} {
		if _, err := parse(body, line); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v; want %s", line, err, says)
		}
	}
	if _, err := parse(`{ref: r, amount: 0}`, "    schema: order.json"); err == nil || !strings.Contains(err.Error(), "a body that does not fit order.json (at /amount:") {
		t.Errorf("a body that does not fit: %v", err)
	}
}
