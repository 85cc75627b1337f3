package fingerprint_test

import (
	"testing"

	"github.com/oncespec/oncespec/mockapi/contract"
	"github.com/oncespec/oncespec/mockapi/fingerprint"
)

func TestOnlyFieldsThatAreNamedCount(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		fields     []string
		body, form string
	}{
		{[]string{"/amount"}, `{"note":"x","amount":10.50}`, `{"amount":10.5}`},
		{[]string{"/amount", "/to/id"}, `{"to":{"name":"x","id":7},"amount":1,"more":[]}`, `{"amount":1,"to":{"id":7}}`},
		{[]string{"/to/id"}, `{"to":{"name":"x"}}`, `{}`},
		{[]string{"/to/id"}, `{"to":"x"}`, `{}`},
		{[]string{"/to"}, `{"to":{"b":1,"a":null},"x":1}`, `{"to":{"a":null,"b":1}}`},
		{[]string{"/lines/1/sku"}, `{"lines":[{"sku":"a"},{"sku":"b","n":1},{"sku":"c"}]}`, `{"lines":[null,{"sku":"b"}]}`},
		{[]string{"/a~1b", ""}, `{"x":1}`, `{"x":1}`},
		{[]string{"/a~1b"}, `{"a/b":1,"a":{"b":2}}`, `{"a/b":1}`},
		{[]string{"/a"}, `7`, `{}`},
	} {
		form, err := fingerprint.Options{Fields: c.fields}.Canonical([]byte(c.body))
		if err != nil || string(form) != c.form {
			t.Errorf("of %s only %v: %s, %v; want %s", c.body, c.fields, form, err, c.form)
		}
	}
}

func TestFieldsOfAContractDecideTheDigest(t *testing.T) {
	t.Parallel()
	of := func(body string) string {
		sum, err := fingerprint.Of(contract.Fingerprint{Fields: []string{"/amount"}}, fingerprint.Request{
			Method: "POST", Path: "/payments", Header: map[string][]string{"Content-Type": {"application/json"}}, Body: []byte(body),
		})
		if err != nil {
			t.Fatal(err)
		}
		return sum
	}
	if of(`{"amount":1,"note":"a"}`) != of(`{"note":"b","amount":1.0}`) || of(`{"amount":1}`) == of(`{"amount":2}`) {
		t.Error("want the amount to count, and nothing else of the body")
	}
}
