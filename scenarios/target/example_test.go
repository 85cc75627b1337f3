package target_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"sync"

	"github.com/oncespec/oncespec/faults/link"
	"github.com/oncespec/oncespec/scenarios/target"
	"github.com/oncespec/oncespec/scenarios/target/config"
)

// An API that ignores keys: the answer to its first write is lost on the wire, the client retries, and there are two orders.
func ExampleStage() {
	var mu sync.Mutex
	var orders []json.RawMessage
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		if r.Method == http.MethodPost {
			var order json.RawMessage
			_ = json.NewDecoder(r.Body).Decode(&order)
			orders = append(orders, order)
			w.WriteHeader(http.StatusCreated)
			return
		}
		_ = json.NewEncoder(w).Encode(orders)
	}))
	defer api.Close()

	cfg, err := config.Parse("oncespec.yaml", []byte(`
target: {url: `+api.URL+`}
operations:
  create-order:
    request: {method: POST, path: /orders, body: {reference: order}}
    unique: [/reference]
    effects: [{http: {get: /orders, items: "$[*]"}}]
`), os.LookupEnv)
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx := context.Background()
	t, err := target.Start(ctx, target.Options{Config: cfg})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer t.Close(ctx)

	s := t.Stage(target.Scenario{ID: "lost/response"}, cfg.Operations["create-order"], target.StageOptions{})
	in, err := s.Intent(ctx)
	if err != nil {
		fmt.Println(err)
		return
	}
	first := s.Do(ctx, in, target.Send{Fault: link.Plan{DropResponse: true}})
	retry := s.Resolve(ctx, in, target.Send{})
	fmt.Println(first.Label, first.Outcome, "after the request was whole:", first.Link.RequestWhole)
	fmt.Println(retry.Label, retry.Outcome, retry.Answer.Status)
	for _, o := range s.Observe(ctx, in, "after") {
		fmt.Println(o.Probe, o.Count)
	}
	// Output:
	// first lost after the request was whole: true
	// retry answered 201
	// http 2
}
