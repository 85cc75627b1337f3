package contract_test

import (
	"fmt"
	"testing"

	"github.com/oncespec/oncespec/mockapi/contract"
)

type (
	exchange = contract.Exchange
	header   = map[string][]string
)

var comeBack = header{"Retry-After": {"1"}}

func TestClassifyUnderTheProfiles(t *testing.T) {
	t.Parallel()
	ietf, stripe := must(contract.Profile("ietf-07")), must(contract.Profile("stripe-v1"))
	marked := header{"Idempotent-Replayed": {"true"}}
	problem := func(code string) []byte { return fmt.Appendf(nil, `{"error":{"type":%q}}`, code) }
	for _, tc := range []struct {
		name string
		c    contract.Contract
		e    exchange
		want contract.Class
	}{
		{"nothing arrived", ietf, exchange{Lost: true}, contract.Unknown},
		{"half an answer arrived", ietf, exchange{Lost: true, Status: 201}, contract.Unknown},
		{"no status", ietf, exchange{}, contract.Unknown},
		{"an interim answer", ietf, exchange{Status: 101}, contract.Unknown},
		{"no HTTP status", ietf, exchange{Status: 600}, contract.Unknown},
		{"200", ietf, exchange{Status: 200}, contract.Result},
		{"201", ietf, exchange{Status: 201}, contract.Result},
		{"204", ietf, exchange{Status: 204}, contract.Result},
		{"303 tells where the result is", ietf, exchange{Status: 303}, contract.Result},
		{"a marker that is not declared says nothing", ietf, exchange{Status: 201, Header: marked}, contract.Result},
		{"redirected elsewhere", ietf, exchange{Status: 307}, contract.Refused},
		{"redirected to a login", ietf, exchange{Status: 302}, contract.Refused},
		{"missing key", ietf, exchange{Status: 400}, contract.Refused},
		{"mismatch", ietf, exchange{Status: 422}, contract.Mismatch},
		{"mismatch that names a time", ietf, exchange{Status: 422, Header: comeBack}, contract.Mismatch},
		{"in flight", ietf, exchange{Status: 409}, contract.InFlightAnswer},
		{"in flight, with a time", ietf, exchange{Status: 409, Header: comeBack}, contract.InFlightAnswer},
		{"423 where 409 is declared", ietf, exchange{Status: 423}, contract.Refused},
		{"429 where 409 is declared is a rate limit", ietf, exchange{Status: 429, Header: comeBack}, contract.Refused},
		{"409 of a key that nobody had used", ietf, exchange{Status: 409, Idle: true}, contract.Refused},
		{"the same, with a time", ietf, exchange{Status: 409, Idle: true, Header: comeBack}, contract.Refused},
		{"422 of a key that nobody had used", ietf, exchange{Status: 422, Idle: true}, contract.Refused},
		{"503 of a key that nobody had used", ietf, exchange{Status: 503, Idle: true}, contract.Unknown},
		{"201 of a key that nobody had used", ietf, exchange{Status: 201, Idle: true}, contract.Result},
		{"404", ietf, exchange{Status: 404}, contract.Refused},
		{"500", ietf, exchange{Status: 500}, contract.Failed},
		{"501", ietf, exchange{Status: 501}, contract.Failed},
		{"502", ietf, exchange{Status: 502}, contract.Unknown},
		{"503", ietf, exchange{Status: 503, Header: comeBack}, contract.Unknown},
		{"504", ietf, exchange{Status: 504}, contract.Unknown},

		{"marker", stripe, exchange{Status: 200, Header: marked}, contract.Replay},
		{"marker in other letters", stripe, exchange{Status: 200, Header: header{"Idempotent-Replayed": {" True "}}}, contract.Replay},
		{"marker false", stripe, exchange{Status: 200, Header: header{"Idempotent-Replayed": {"false"}}}, contract.Result},
		{"marker with another value", stripe, exchange{Status: 200, Header: header{"Idempotent-Replayed": {"1"}}}, contract.Result},
		{"marker absent", stripe, exchange{Status: 200}, contract.Result},
		{"a stored error stays what it is", stripe, exchange{Status: 402, Header: marked}, contract.Refused},
		{"a stored 500 stays what it is", stripe, exchange{Status: 500, Header: marked}, contract.Failed},
		{"mismatch by status and code", stripe, exchange{Status: 400, Body: problem("idempotency_error")}, contract.Mismatch},
		{"the status without the code", stripe, exchange{Status: 400, Body: problem("invalid_request_error")}, contract.Refused},
		{"the code inside a longer word", stripe, exchange{Status: 400, Body: problem("xidempotency_error idempotency_error_2")}, contract.Refused},
		{"the code after a longer word", stripe, exchange{Status: 400, Body: problem("idempotency_errors idempotency_error")}, contract.Mismatch},
		{"the code with another status", stripe, exchange{Status: 500, Body: problem("idempotency_error")}, contract.Failed},
		{"in flight by code", stripe, exchange{Status: 409, Body: problem("idempotency_key_in_use")}, contract.InFlightAnswer},
		{"mismatch by code, of a key that nobody had used", stripe, exchange{Status: 400, Idle: true, Body: problem("idempotency_error")}, contract.Mismatch},
		{"in flight by code, of a key that nobody had used", stripe, exchange{Status: 409, Idle: true, Body: problem("idempotency_key_in_use")}, contract.InFlightAnswer},
		{"409 without the code", stripe, exchange{Status: 409, Header: comeBack}, contract.Refused},
	} {
		t.Run(tc.c.Profile+"/"+tc.name, func(t *testing.T) {
			t.Parallel()
			if got := tc.c.Classify(tc.e); got != tc.want {
				t.Errorf("%d is %s, expected %s", tc.e.Status, got, tc.want)
			}
		})
	}
}

func TestClassifyDeclarations(t *testing.T) {
	t.Parallel()
	type c = contract.Contract
	refuse := func(code string, statuses ...int) contract.Response {
		return contract.Response{Action: contract.ActionRefuse, Statuses: statuses, Code: code}
	}
	inFlight := func(code string, statuses ...int) contract.InFlight {
		return contract.InFlight{Statuses: statuses, Code: code}
	}
	both := c{Mismatch: refuse("", 409), InFlight: inFlight("", 409)}
	for _, tc := range []struct {
		name string
		c    c
		e    exchange
		want contract.Class
	}{
		{"unspecified: 102", c{}, exchange{Status: 102}, contract.InFlightAnswer},
		{"unspecified: 409", c{}, exchange{Status: 409}, contract.Refused},
		{"unspecified: 409 with a time", c{}, exchange{Status: 409, Header: comeBack}, contract.InFlightAnswer},
		{"unspecified: 409 with an empty time", c{}, exchange{Status: 409, Header: header{"Retry-After": {""}}}, contract.Refused},
		{"unspecified: 422", c{}, exchange{Status: 422}, contract.Refused},
		{"unspecified: 423", c{}, exchange{Status: 423}, contract.InFlightAnswer},
		{"unspecified: 425", c{}, exchange{Status: 425}, contract.InFlightAnswer},
		{"unspecified: 429", c{}, exchange{Status: 429}, contract.InFlightAnswer},
		{"unspecified: 400 with a time", c{}, exchange{Status: 400, Header: comeBack}, contract.Refused},
		{"unspecified: 503", c{}, exchange{Status: 503}, contract.Unknown},
		{"no unknown answers: 503", c{UnknownAnswers: []int{}}, exchange{Status: 503}, contract.Failed},
		{"500 listed as unknown", c{UnknownAnswers: []int{500}}, exchange{Status: 500}, contract.Unknown},
		{"408 listed as unknown", c{UnknownAnswers: []int{408}}, exchange{Status: 408}, contract.Unknown},
		{"102 where another status is declared", c{InFlight: inFlight("", 409)}, exchange{Status: 102}, contract.Refused},
		{"503 declared for in flight", c{InFlight: inFlight("", 503)}, exchange{Status: 503}, contract.InFlightAnswer},
		{"503 declared with a code that is missing", c{InFlight: inFlight("busy", 503)}, exchange{Status: 503}, contract.Unknown},
		{"503 declared with its code", c{InFlight: inFlight("busy", 503)}, exchange{Status: 503, Body: []byte("busy")}, contract.InFlightAnswer},
		{"waiting that ends with its status", c{InFlight: contract.InFlight{Action: contract.ActionWait, Statuses: []int{409}}}, exchange{Status: 409}, contract.InFlightAnswer},
		{"a code without a status is looked for in 4xx", c{InFlight: inFlight("busy")}, exchange{Status: 418, Body: []byte(`{"code":"busy"}`)}, contract.InFlightAnswer},
		{"a code without a status, in a success", c{InFlight: inFlight("busy")}, exchange{Status: 200, Body: []byte(`busy`)}, contract.Result},
		{"a code without a status switches the guesses off", c{InFlight: inFlight("busy")}, exchange{Status: 423}, contract.Refused},

		{"one status for both", both, exchange{Status: 409}, contract.Mismatch},
		{"one status for both, with a time", both, exchange{Status: 409, Header: comeBack}, contract.InFlightAnswer},
		{"one status for both, mismatch has a code", c{Mismatch: refuse("reused", 409), InFlight: inFlight("", 409)}, exchange{Status: 409, Body: []byte("reused")}, contract.Mismatch},
		{"… which wins over a time", c{Mismatch: refuse("reused", 409), InFlight: inFlight("", 409)}, exchange{Status: 409, Header: comeBack, Body: []byte("reused")}, contract.Mismatch},
		{"… and is not there", c{Mismatch: refuse("reused", 409), InFlight: inFlight("", 409)}, exchange{Status: 409}, contract.InFlightAnswer},
		{"one status for both, in flight has a code", c{Mismatch: refuse("", 409), InFlight: inFlight("busy", 409)}, exchange{Status: 409, Body: []byte("busy")}, contract.InFlightAnswer},
		{"… and is not there, though a time is", c{Mismatch: refuse("", 409), InFlight: inFlight("busy", 409)}, exchange{Status: 409, Header: comeBack}, contract.Mismatch},
		{"one status and both codes in the body", c{Mismatch: refuse("reused", 409), InFlight: inFlight("busy", 409)}, exchange{Status: 409, Body: []byte("reused busy")}, contract.Mismatch},
		{"… with a time", c{Mismatch: refuse("reused", 409), InFlight: inFlight("busy", 409)}, exchange{Status: 409, Header: comeBack, Body: []byte("reused busy")}, contract.InFlightAnswer},
		{"409 for mismatch, in flight unspecified", c{Mismatch: refuse("", 409)}, exchange{Status: 409}, contract.Mismatch},
		{"… with a time", c{Mismatch: refuse("", 409)}, exchange{Status: 409, Header: comeBack}, contract.InFlightAnswer},
		{"… with a time but the code of a mismatch", c{Mismatch: refuse("reused", 409)}, exchange{Status: 409, Header: comeBack, Body: []byte("reused")}, contract.Mismatch},

		{"another operation's refusal is about the key too", c{OtherOperation: refuse("", 403)}, exchange{Status: 403}, contract.Mismatch},
		{"a refusal that is never given", c{Mismatch: contract.Response{Action: contract.ActionReplay, Statuses: []int{422}}}, exchange{Status: 422}, contract.Refused},
		{"statuses of an unspecified action", c{Mismatch: contract.Response{Statuses: []int{422}}}, exchange{Status: 422}, contract.Mismatch},
		{"one status for mismatch and missing", c{Mismatch: refuse("", 400), Missing: refuse("", 400)}, exchange{Status: 400}, contract.Mismatch},
		{"… told apart by the code of missing", c{Mismatch: refuse("", 400), Missing: refuse("required", 400)}, exchange{Status: 400, Body: []byte("required")}, contract.Refused},
		{"… told apart by the code of malformed", c{Mismatch: refuse("", 400), Malformed: refuse("syntax", 400)}, exchange{Status: 400, Body: []byte("syntax")}, contract.Refused},
		{"… told apart by the code of mismatch", c{Mismatch: refuse("reused", 400), Missing: refuse("required", 400)}, exchange{Status: 400, Body: []byte("reused")}, contract.Mismatch},

		{"any marker value", c{Marker: contract.Marker{Name: "x-replayed"}}, exchange{Status: 200, Header: header{"X-Replayed": {"yes"}}}, contract.Replay},
		{"any marker value but false", c{Marker: contract.Marker{Name: "X-Replayed"}}, exchange{Status: 200, Header: header{"X-Replayed": {"False"}}}, contract.Result},
		{"any marker value but an empty one", c{Marker: contract.Marker{Name: "X-Replayed"}}, exchange{Status: 200, Header: header{"X-Replayed": {""}}}, contract.Result},
		{"a marker that is the same on the first answer says nothing", c{Marker: contract.Marker{Name: "X", OnFirst: "same"}}, exchange{Status: 200, Header: header{"X": {"accepted"}}}, contract.Result},
		{"a marked 303", c{Marker: contract.Marker{Name: "X"}}, exchange{Status: 303, Header: header{"X": {"1"}}}, contract.Replay},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if got := tc.c.Classify(tc.e); got != tc.want {
				t.Errorf("%d is %s, expected %s", tc.e.Status, got, tc.want)
			}
		})
	}
}

func TestRefusesAsksForOneSituationOnly(t *testing.T) {
	t.Parallel()
	ietf, stripe := must(contract.Profile("ietf-07")), must(contract.Profile("stripe-v1"))
	for _, tc := range []struct {
		name string
		c    contract.Contract
		s    contract.Situation
		e    exchange
		want bool
	}{
		{"declared status", ietf, contract.OnMismatch, exchange{Status: 422}, true},
		{"another status", ietf, contract.OnMismatch, exchange{Status: 409}, false},
		{"lost", ietf, contract.OnMismatch, exchange{Lost: true, Status: 422}, false},
		{"missing", ietf, contract.OnMissing, exchange{Status: 400}, true},
		{"in flight", ietf, contract.OnInFlight, exchange{Status: 409}, true},
		{"unspecified takes any 4xx", ietf, contract.OnMalformed, exchange{Status: 418}, true},
		{"but no 5xx", ietf, contract.OnMalformed, exchange{Status: 500}, false},
		{"and no success", ietf, contract.OnOtherOperation, exchange{Status: 200}, false},
		{"declared code", stripe, contract.OnMismatch, exchange{Status: 400, Body: []byte(`"idempotency_error"`)}, true},
		{"declared code missing", stripe, contract.OnMismatch, exchange{Status: 400}, false},
		{"unspecified in flight takes 102", contract.Contract{}, contract.OnInFlight, exchange{Status: 102}, true},
		{"unspecified mismatch does not", contract.Contract{}, contract.OnMismatch, exchange{Status: 102}, false},
		{"an unknown situation takes any 4xx", ietf, "else", exchange{Status: 404}, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if got := tc.c.Refuses(tc.s, tc.e); got != tc.want {
				t.Errorf("%s refused with %d: %v, expected %v", tc.s, tc.e.Status, got, tc.want)
			}
		})
	}
}
