package downstream

import (
	"net/url"
	"slices"
	"strings"

	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/rule"
)

// soleIntents are the intents that are one operation under every scope and fingerprint that a contract may declare: all their
// requests have one key, payload, principal and route, and no other intent shares their markers or key. Other intents may,
// under some contract, rightly be several operations or none.
func soleIntents(c rule.Case, h *history.History) (sole []history.Intent) {
	for _, in := range h.Intents {
		attempts := h.AttemptsOf(in.ID)
		if len(attempts) == 0 || in.TwinOf != "" || hasRival(h, in) {
			continue
		}
		first := sent(c, attempts[0])
		if first.key == "" || slices.ContainsFunc(attempts, func(a *history.Attempt) bool { return a.Variant != "" || sent(c, a) != first }) {
			continue
		}
		sole = append(sole, in)
	}
	return sole
}

func hasRival(h *history.History, in history.Intent) bool {
	return slices.ContainsFunc(h.Intents, func(other history.Intent) bool {
		return other.TwinOf == in.ID || other.ID != in.ID && in.Key != "" && other.Key == in.Key
	})
}

// identity is what tells operations apart for some contract or other.
type identity struct{ tenant, method, url, key string }

// sent reads the identity of a request. The key is empty where there is none, or more than one.
func sent(c rule.Case, a *history.Attempt) identity {
	who := identity{tenant: a.Tenant, method: a.Request.Method, url: a.Request.URL}
	if u, err := url.Parse(a.Request.URL); err == nil {
		who.url = u.RequestURI() // the host may be that of the attempt's own connection
	}
	fields := 0
	for _, f := range a.Request.Header {
		if strings.EqualFold(f[0], c.Contract.Name) {
			who.key = f[1]
			fields++
		}
	}
	if fields > 1 {
		who.key = ""
	}
	return who
}
