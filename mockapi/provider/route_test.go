package provider_test

import (
	"testing"

	"github.com/oncespec/oncespec/mockapi/provider"
)

func TestRoutes(t *testing.T) {
	t.Parallel()
	g := listen(t, provider.Options{Routes: []provider.Route{
		{Method: "POST", Path: "/token", NoBooking: true, Body: `{"token":"t"}`},
		{Method: "POST", Path: "/accounts/{account}/charges", Headers: map[string]string{"Location": "/charges/{id}"},
			Body: `{"charge":"{id}","by":"{path:account}","amount":{body:/amount},"note":"{body:/note}","none":"{body:/none}"}`},
		{Method: "GET", Path: "/charges/by-key/{key}"},
		{Method: "GET", Path: "/rates", Body: `[]`},
		{Path: "/notify", Status: 204},
	}})
	wants(t, do(g, "POST", "/token", "k", ""), 200, `{"token":"t"}`)
	wants(t, do(g, "GET", "/rates", "", ""), 200, `[]`)
	wants(t, do(g, "GET", "/charges/by-key/k", "", ""), 404, "")
	books(t, g, 0)

	charge := `{"charge":"bk_1","by":"a\"b","amount":{"n":1.50},"note":"x\"y","none":""}`
	first := do(g, "POST", "/accounts/a%22b/charges", "k", `{"amount":{"n":1.50},"note":"x\"y"}`)
	wants(t, first, 201, charge)
	if got := first.header.Get("Location"); got != "/charges/bk_1" {
		t.Errorf("Location %q", got)
	}
	wants(t, do(g, "POST", "/accounts/a%22b/charges", "k", `{"amount":{"n":1.50},"note":"x\"y"}`), 201, charge)
	wants(t, do(g, "POST", "/accounts/a%22b/charges", "k", `{}`), 422, "") // another payload
	wants(t, do(g, "GET", "/charges/by-key/k", "", ""), 200, charge)
	books(t, g, 1)

	// Another route is another service: the same key books there, too.
	wants(t, do(g, "POST", "/notify", "k", `{}`), 204, "")
	books(t, g, 2)

	wants(t, do(g, "POST", "/elsewhere", "k", `{}`), 404, "")
	wants(t, do(g, "DELETE", "/token", "k", `{}`), 404, "")
	wants(t, do(g, "GET", "/elsewhere/k", "", ``), 200, charge)
	books(t, g, 2)
	if refused := g.Calls(func(c provider.Call) bool { return c.Refused != "" }); len(refused) != 3 {
		t.Errorf("refused: %+v", refused)
	}
}
