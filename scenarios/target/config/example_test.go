package config_test

import (
	"errors"
	"fmt"

	"github.com/oncespec/oncespec/scenarios/target/config"
)

func ExampleParse() {
	_, err := config.Parse("oncespec.yaml", []byte(`target: {ulr: "http://127.0.0.1:8080"}
operations:
  create-order:
    request: {method: POST, path: /orders, body: {item: book}}
    isolate: markers
`), nil)
	var problems config.Problems
	if errors.As(err, &problems) {
		for _, p := range problems {
			fmt.Println(p.String())
		}
	}
	// Output:
	// oncespec.yaml:1:1: target: found no url, expected one
	// oncespec.yaml:1:10: target.ulr: found an unknown field, expected clock, downstream, lifecycle, name, replicas, store, tenants or url (did you mean "url"?)
	// oncespec.yaml:5:14: operations.create-order.isolate: found "markers", expected marker, parent or exclusive (did you mean "marker"?)
}
