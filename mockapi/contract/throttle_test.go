package contract_test

import (
	"testing"

	"github.com/oncespec/oncespec/mockapi/contract"
)

func TestThrottled(t *testing.T) {
	t.Parallel()
	var silent, declares contract.Contract
	declares.InFlight.Statuses = []int{429}
	for name, tc := range map[string]struct {
		contract contract.Contract
		exchange contract.Exchange
		want     bool
	}{
		"a 429":                    {silent, contract.Exchange{Status: 429}, true},
		"one that means in flight": {declares, contract.Exchange{Status: 429}, false},
		"another refusal":          {silent, contract.Exchange{Status: 409}, false},
		"a cut answer":             {silent, contract.Exchange{Status: 429, Lost: true}, false},
	} {
		if got := tc.contract.Throttled(tc.exchange); got != tc.want {
			t.Errorf("%s: found %v", name, got)
		}
	}
}
