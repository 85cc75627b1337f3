package payments

import (
	"net/http"

	"github.com/oncespec/oncespec/mockapi/command"
	"github.com/oncespec/oncespec/mockapi/store"
)

// accountKind is the kind of account documents in the store.
const accountKind = "account"

// openingBalance is what every account begins with; it may be overdrawn.
const openingBalance = "100000"

// Account is the resource whose balance payments move.
type Account struct {
	ID      string `json:"id"`
	Balance Amount `json:"balance"`
}

var accounts = command.Resource[Account]{Kind: accountKind, Path: "/v1/accounts", ID: func(a Account) string { return a.ID }}

// Open is a new account.
type Open struct{}

func decodeOpen(request command.Request) (command.Command, error) {
	_, err := command.Decode[struct{}](request.Body)
	return Open{}, err
}

// Check implements command.Command.
func (Open) Check(store.Reader, string) error { return nil }

// Decide implements command.Command.
func (Open) Decide() *command.Refusal { return nil }

// Apply implements command.Command.
func (Open) Apply(tx store.Tx, env command.Env) (command.Answer, error) {
	balance, err := ParseAmount(openingBalance)
	if err != nil {
		return command.Answer{}, err
	}
	account := Account{ID: "acc_" + env.NewID(), Balance: balance}
	if err := accounts.Save(tx, env.Tenant, account); err != nil {
		return command.Answer{}, err
	}
	return command.JSON(http.StatusCreated, accounts.Location(account), account)
}
