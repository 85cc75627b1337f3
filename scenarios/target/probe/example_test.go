package probe_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/oncespec/oncespec/scenarios/target/config"
	"github.com/oncespec/oncespec/scenarios/target/probe"
)

func ExampleProbe_Read() {
	target := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `{"orders":[{"id":"o-1","ref":"r-5f0c2a9d41e7"},{"id":"o-2","ref":"r-9b3e6611d0aa"},{"id":"o-3","ref":"r-5f0c2a9d41e7"}]}`)
	}))
	defer target.Close()

	probes, err := probe.All(&config.Operation{
		Unique:  []string{"/ref"},
		Isolate: config.Marker,
		Effects: []config.Effect{{HTTP: &config.HTTPEffect{Get: "/orders", Items: "$.orders[*]", ID: "$.id"}}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	seen, err := probes[0].Read(context.Background(), probe.Source{Base: target.URL}, probe.Subject{Markers: []string{"r-5f0c2a9d41e7"}})
	fmt.Println(seen.Count, seen.IDs, err)
	// Output: 2 [o-1 o-3] <nil>
}
