// Package config is oncespec.yaml: its types, how it is read, and what is wrong with it in words that name the place.
//
// Its JSON Schema (oncespec.schema.json) is generated from the types here and kept beside them by a test. The package must
// not know how anything is sent. Start reading at Config, then Load.
package config
