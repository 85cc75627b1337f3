module github.com/oncespec/oncespec/mockapi/fingerprint/testdata/compare

go 1.26.0

require (
	github.com/go-json-experiment/json v1.27.2
	github.com/gowebpki/jcs v1.0.2
	github.com/oncespec/oncespec v0.0.0
)

require (
	github.com/agnivade/levenshtein v1.2.2 // indirect
	github.com/dunglas/httpsfv v1.1.2 // indirect
	github.com/goccy/go-yaml v1.19.2 // indirect
	github.com/google/uuid v1.6.0 // indirect
	golang.org/x/net v0.62.0 // indirect
	golang.org/x/text v0.44.0 // indirect
)

replace github.com/oncespec/oncespec => ../../../..
