package contract_test

import (
	"fmt"

	"github.com/goccy/go-yaml/parser"
	"github.com/oncespec/oncespec/mockapi/contract"
)

func ExampleContract_Classify() {
	c, err := contract.Profile("stripe-v1")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(c.Classify(contract.Exchange{Status: 201}))
	fmt.Println(c.Classify(contract.Exchange{Status: 201, Header: map[string][]string{"Idempotent-Replayed": {"true"}}}))
	fmt.Println(c.Classify(contract.Exchange{Status: 400, Body: []byte(`{"error":{"type":"idempotency_error"}}`)}))
	fmt.Println(c.Classify(contract.Exchange{Lost: true}))
	// Output:
	// result
	// replay
	// mismatch
	// unknown
}

func ExampleDecode() {
	file, err := parser.ParseBytes([]byte("profile: ietf-07\nmismatch: {action: refused}\n"), 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = contract.Decode(file.Docs[0].Body)
	fmt.Println(err)
	// Output:
	// contract: mismatch.action: found "refused", expected one of refuse, replay, execute, or nothing for unspecified (did you mean "refuse"?)
}

func ExampleContract_DecodeKey() {
	c := contract.Contract{Name: "Idempotency-Key", Key: contract.Key{Encoding: contract.EncodingStructured, Max: 8}}
	fmt.Println(c.DecodeKey([]string{`"order-17"`}))
	fmt.Println(c.DecodeKey(nil))
	fmt.Println(c.DecodeKey([]string{`"order-1700"`}))
	// Output:
	// order-17 <nil>
	//  the request has no key: expected the header field Idempotency-Key
	//  the key is malformed: expected at most 8 characters, found 10
}
