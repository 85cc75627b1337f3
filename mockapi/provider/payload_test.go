package provider_test

import (
	"testing"

	"github.com/oncespec/oncespec/mockapi/provider"
)

// A good provider books a downstream key for one thing only, and says so in its ledger.
func TestAnotherPayloadUnderOneKeyIsRefused(t *testing.T) {
	t.Parallel()
	const first = `{"amount": 1, "to": "a"}`
	for name, c := range map[string]struct {
		method, path, body string
		status             int
		repeat             bool
	}{
		"the same":                       {"POST", "/book", first, 201, true},
		"the same, spelt otherwise":      {"POST", "/book", `{"to":"a","amount":1}`, 201, true},
		"another amount":                 {"POST", "/book", `{"amount": 2, "to": "a"}`, 422, false},
		"an amount of another precision": {"POST", "/book", `{"amount": 1.0, "to": "a"}`, 422, false},
		"no body":                        {"POST", "/book", "", 422, false},
		"no JSON":                        {"POST", "/book", "amount=1", 422, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := listen(t, provider.Options{Key: provider.KeyAt{Header: "Idempotency-Key"}})
			wants(t, do(g, "POST", "/book", "k", first), 201, "")
			wants(t, do(g, c.method, c.path, "k", c.body), c.status, "")
			call := g.Calls(nil)[1]
			if call.Booked || call.Repeat != c.repeat || (call.Refused == "") != c.repeat || call.BookingID != "bk_1" || call.Status != c.status {
				t.Errorf("the ledger says %+v", call)
			}
			if n := len(g.Bookings(nil)); n != 1 {
				t.Errorf("%d bookings", n)
			}
			wants(t, do(g, "POST", "/book", "other", c.body), 201, "") // under a key of its own it is taken
		})
	}
}
