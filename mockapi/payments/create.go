package payments

import (
	"errors"
	"net/http"
	"regexp"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/oncespec/oncespec/mockapi/command"
	"github.com/oncespec/oncespec/mockapi/store"
)

// refusedOrder is an order that is refused for good.
const refusedOrder = "refused"

// currency keeps letter case: in other letters it is another payment, as far as this API is concerned.
var currency = regexp.MustCompile(`\A[A-Za-z]{3}\z`)

// Create is a new payment.
type Create struct {
	Account  string         `json:"account"`
	Amount   Amount         `json:"amount"`
	Currency string         `json:"currency"` // three letters, kept as they are
	Order    string         `json:"order"`
	Metadata jsontext.Value `json:"metadata,omitzero"` // free form
}

func decodeCreate(request command.Request) (command.Command, error) {
	c, err := command.Decode[Create](request.Body)
	if err != nil {
		return nil, err
	}
	var invalid []command.Field
	if c.Account == "" {
		invalid = append(invalid, command.Field{Pointer: "/account", Detail: "expected an account, found none"})
	}
	if !c.Amount.IsPositive() {
		invalid = append(invalid, command.Field{Pointer: "/amount", Detail: "expected more than 0"})
	}
	if !currency.MatchString(c.Currency) {
		invalid = append(invalid, command.Field{Pointer: "/currency", Detail: "expected three letters"})
	}
	if c.Order == "" {
		invalid = append(invalid, command.Field{Pointer: "/order", Detail: "expected a reference, found none"})
	}
	return c, command.Invalid(invalid...)
}

// Check implements command.Command.
func (c Create) Check(r store.Reader, tenant string) error {
	_, err := accounts.Load(r, tenant, c.Account)
	var missing *command.Refusal
	if errors.As(err, &missing) {
		return command.Invalid(command.Field{Pointer: "/account", Detail: "there is no such account"})
	}
	return err
}

// Decide implements command.Command.
func (c Create) Decide() *command.Refusal {
	if c.Order != refusedOrder {
		return nil
	}
	return &command.Refusal{Status: http.StatusPaymentRequired, Code: "payment_refused", Title: "The payment was refused"}
}

// Apply implements command.Command.
func (c Create) Apply(tx store.Tx, env command.Env) (command.Answer, error) {
	account, err := accounts.Load(tx, env.Tenant, c.Account)
	if err != nil {
		return command.Answer{}, err
	}
	account.Balance = account.Balance.Minus(c.Amount)
	if err := accounts.Save(tx, env.Tenant, account); err != nil {
		return command.Answer{}, err
	}
	p := Payment{ID: "pay_" + env.NewID(), Account: c.Account, Amount: c.Amount, Currency: c.Currency, Order: c.Order,
		Metadata: c.Metadata, State: "succeeded"}
	if err := kept.Save(tx, env.Tenant, p); err != nil {
		return command.Answer{}, err
	}
	return command.JSON(http.StatusCreated, kept.Location(p), p)
}
