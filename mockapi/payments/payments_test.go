package payments_test

import (
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/oncespec/oncespec/mockapi/command"
	"github.com/oncespec/oncespec/mockapi/payments"
	"github.com/oncespec/oncespec/mockapi/store"
)

func operation(t *testing.T, name string) command.Operation {
	t.Helper()
	for _, o := range payments.Operations() {
		if o.Name == name {
			return o
		}
	}
	t.Fatalf("no operation %s", name)
	return command.Operation{}
}

// run does one write as the server does: decode, check, store, restore, apply.
func run(t *testing.T, s store.Store, name, body string) (command.Answer, error) {
	t.Helper()
	o := operation(t, name)
	c, err := o.Decode(command.Request{Body: []byte(body)})
	if err != nil {
		return command.Answer{}, err
	}
	stored, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	if c, err = o.Restore(stored); err != nil {
		t.Fatal(err)
	}
	if err := s.View(t.Context(), func(r store.Reader) error { return c.Check(r, "acme") }); err != nil {
		return command.Answer{}, err
	}
	if refusal := c.Decide(); refusal != nil {
		return command.Answer{}, refusal
	}
	ids := 0
	var answer command.Answer
	err = s.Update(t.Context(), func(tx store.Tx) (err error) {
		answer, err = c.Apply(tx, command.Env{Tenant: "acme", Now: time.Unix(0, 0), NewID: func() string { ids++; return strconv.Itoa(ids) }})
		return err
	})
	return answer, err
}

func TestPaymentMovesTheBalanceExactly(t *testing.T) {
	t.Parallel()
	s := &store.Memory{}
	if _, err := run(t, s, "accounts.create", `{}`); err != nil {
		t.Fatal(err)
	}
	answer, err := run(t, s, "payments.create", `{"account":"acc_1","amount":90071992547409930,"currency":"EUR","order":"o1","metadata":{"n":0.10}}`)
	if err != nil {
		t.Fatal(err)
	}
	if answer.Status != 201 || answer.Location != "/v1/payments/pay_1" || !strings.Contains(string(answer.Body), `"metadata":{"n":0.10}`) {
		t.Errorf("answer %+v %s", answer, answer.Body)
	}
	for path, want := range map[string]string{
		"/v1/accounts/{id}": `{"id":"acc_1","balance":-90071992547309930}`,
		"/v1/payments/{id}": string(answer.Body),
		"/v1/payments":      `{"payments":[` + string(answer.Body) + `],"next":null}`,
	} {
		id := map[string]string{"/v1/accounts/{id}": "acc_1", "/v1/payments/{id}": "pay_1"}[path]
		if got := read(t, s, path, id); got != want {
			t.Errorf("GET %s: got %s, want %s", path, got, want)
		}
	}
}

func read(t *testing.T, s store.Store, pattern, id string) string {
	t.Helper()
	for _, r := range payments.Reads() {
		if r.Pattern != pattern {
			continue
		}
		var answer command.Answer
		if err := s.View(t.Context(), func(reader store.Reader) (err error) {
			answer, err = r.Serve(reader, "acme", command.Request{Params: map[string]string{"id": id}})
			return err
		}); err != nil {
			t.Fatal(err)
		}
		return string(answer.Body)
	}
	t.Fatalf("no read %s", pattern)
	return ""
}

func TestPaymentsRefused(t *testing.T) {
	t.Parallel()
	s := &store.Memory{}
	if _, err := run(t, s, "accounts.create", ``); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		body   string
		status int
		names  string
	}{
		"nothing paid":      {`{"account":"acc_1","amount":0,"currency":"EUR","order":"o"}`, 422, "/amount"},
		"negative":          {`{"account":"acc_1","amount":-1,"currency":"EUR","order":"o"}`, 422, "/amount"},
		"fraction":          {`{"account":"acc_1","amount":19.99,"currency":"EUR","order":"o"}`, 422, "/amount"},
		"text":              {`{"account":"acc_1","amount":"1","currency":"EUR","order":"o"}`, 422, "/amount"},
		"no currency":       {`{"account":"acc_1","amount":1,"order":"o"}`, 422, "/currency"},
		"no order":          {`{"account":"acc_1","amount":1,"currency":"EUR"}`, 422, "/order"},
		"no such account":   {`{"account":"acc_9","amount":1,"currency":"EUR","order":"o"}`, 422, "/account"},
		"unknown field":     {`{"account":"acc_1","amount":1,"currency":"EUR","order":"o","tip":1}`, 422, "/tip"},
		"the business's no": {`{"account":"acc_1","amount":1,"currency":"EUR","order":"refused"}`, 402, "payment_refused"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := run(t, s, "payments.create", c.body)
			var refusal *command.Refusal
			if !errors.As(err, &refusal) || refusal.Status != c.status || !strings.Contains(err.Error(), c.names) {
				t.Errorf("got %v, want a refusal with %d that names %s", err, c.status, c.names)
			}
		})
	}
	if got := read(t, s, "/v1/accounts/{id}", "acc_1"); got != `{"id":"acc_1","balance":100000}` {
		t.Errorf("refused payments moved the account: %s", got)
	}
}
