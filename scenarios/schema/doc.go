// Package schema reads what a request body may be from a JSON Schema, or from the operation of an OpenAPI 3.0 or 3.1 file, and
// draws bodies that fit it.
//
// It gives two things to the search for confused requests: what may vary at each place (as the configuration's `vary` says it),
// and random bodies. Values come from small sets with neighbours in them, as far as the schema lets them. What was drawn is
// held against the schema before anybody sends it.
//
// The package must not know targets, keys or verdicts. Start reading at Load and LoadOpenAPI, then shape.go.
package schema
