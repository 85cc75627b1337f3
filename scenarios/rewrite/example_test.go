package rewrite_test

import (
	"fmt"

	"github.com/oncespec/oncespec/mockapi/contract"
	"github.com/oncespec/oncespec/scenarios/rewrite"
)

func Example() {
	sample, err := rewrite.NewSample(rewrite.Request{
		Method: "POST", Path: "/v1/tickets",
		Header: []rewrite.Field{{Name: "Content-Type", Value: "application/json"}},
		Body:   []byte(`{"title": "printer 7", "priority": "low", "cost": 12.50}`),
	}, rewrite.Policy{
		Unique: []string{"/title"},
		Vary:   map[string]rewrite.Vary{"/priority": {Enum: []any{"low", "high"}}, "/cost": {Min: "0"}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	promised := contract.Contract{Mismatch: contract.Response{Action: contract.ActionRefuse}}
	for _, id := range []string{"leaf/enum", "leaf/amount", "order/top", "number/trailing-zero", "array/reordered"} {
		r, _ := rewrite.Find(id)
		sites := r.Sites(sample)
		if len(sites) == 0 {
			_, reason := r.Applies(sample)
			fmt.Println(id, "is left out:", reason)
			continue
		}
		pair, _ := r.Apply(sample, sites[0], 0)
		fmt.Printf("%s %s %s %q\n", id, r.ClassUnder(promised), pair.B.Body, rewrite.DiffPointers(pair.A.Body, pair.B.Body))
	}
	// Output:
	// leaf/enum different {"title":"printer 7","priority":"high","cost":12.50} ["/priority"]
	// leaf/amount different {"title":"printer 7","priority":"low","cost":12.51} ["/cost"]
	// order/top same {"cost":12.50,"priority":"low","title":"printer 7"} [""]
	// number/trailing-zero same-by-practice {"title":"printer 7","priority":"low","cost":12.500} ["/cost"]
	// array/reordered is left out: the sample offers no array with two different items that may change
}
