package main

import (
	"github.com/oncespec/oncespec/reports"
	"github.com/oncespec/oncespec/scenarios/target/config"
)

// SchemaCmd prints a JSON Schema.
type SchemaCmd struct {
	What string `arg:"" enum:"config,report" help:"config: of oncespec.yaml, for editors; report: of report.json, for programs."`
}

// Help is shown under --help.
func (SchemaCmd) Help() string {
	return "One setting is explained by: oncespec explain target.lifecycle\n\nExample:\n  oncespec schema config > oncespec.schema.json"
}

// Run is called by kong.
func (c *SchemaCmd) Run(io streams) error {
	schema := config.Schema()
	if c.What == "report" {
		schema = reports.JSONSchema()
	}
	_, err := io.out.Write(schema)
	return err
}
