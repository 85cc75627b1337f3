package fingerprint_test

import (
	"fmt"

	"github.com/oncespec/oncespec/mockapi/contract"
	"github.com/oncespec/oncespec/mockapi/fingerprint"
)

func ExampleCanonical() {
	for _, body := range []string{
		`{ "currency": "EUR", "amount": 1.999e3 }`,
		`{"amount":1999.0,"\u0063urrency":"EUR"}`,
		`{"amount":9007199254740993,"currency":"EUR"}`,
		`{"amount":1,"amount":1999}`,
	} {
		form, err := fingerprint.Canonical([]byte(body))
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(string(form))
	}
	// Output:
	// {"amount":1999,"currency":"EUR"}
	// {"amount":1999,"currency":"EUR"}
	// {"amount":9007199254740993,"currency":"EUR"}
	// JSON body at byte 12: duplicate name: expected each name once in an object, found "amount" again
}

func ExampleOf() {
	request := fingerprint.Request{
		Method: "POST", Path: "/v1/payments", Header: map[string][]string{"Content-Type": {"application/json"}},
		Body: []byte(`{"amount":1999,"trace":"7f"}`),
	}
	retry := request
	retry.Body = []byte(`{"trace":"80","amount":1999.00}`)

	declared := contract.Fingerprint{Exclude: []string{"/trace"}}
	first, err := fingerprint.Of(declared, request)
	if err != nil {
		fmt.Println(err)
		return
	}
	second, err := fingerprint.Of(declared, retry)
	fmt.Println(first == second, err)
	// Output: true <nil>
}
