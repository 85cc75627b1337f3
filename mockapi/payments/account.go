package payments

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/go-json-experiment/json"

	"github.com/oncespec/oncespec/mockapi/command"
	"github.com/oncespec/oncespec/mockapi/store"
)

// AccountKind is the kind of account documents in the store.
const AccountKind = "account"

// openingBalance is what every account begins with; it may be overdrawn.
const openingBalance = "100000"

// Account is the resource whose balance payments move.
type Account struct {
	ID      string `json:"id"`
	Balance Amount `json:"balance"`
}

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
	if err := writeAccount(tx, env.Tenant, account); err != nil {
		return command.Answer{}, err
	}
	return command.JSON(http.StatusCreated, "/v1/accounts/"+account.ID, account)
}

func readAccount(r store.Reader, tenant, id string) (account Account, err error) {
	document, err := r.Document(AccountKind, tenant, id)
	if errors.Is(err, store.ErrNotFound) {
		return Account{}, command.NotFound("account", id)
	}
	if err != nil {
		return Account{}, fmt.Errorf("account %s: %w", id, err)
	}
	if err := json.Unmarshal(document.Body, &account); err != nil {
		return Account{}, fmt.Errorf("account %s as stored: %w", id, err)
	}
	return account, nil
}

func writeAccount(tx store.Tx, tenant string, account Account) error {
	body, err := json.Marshal(account)
	if err != nil {
		return fmt.Errorf("account %s: %w", account.ID, err)
	}
	return tx.PutDocument(store.Document{Kind: AccountKind, Tenant: tenant, ID: account.ID, Body: body})
}

func getAccount(r store.Reader, tenant string, request command.Request) (command.Answer, error) {
	account, err := readAccount(r, tenant, request.Params["id"])
	if err != nil {
		return command.Answer{}, err
	}
	return command.JSON(http.StatusOK, "", account)
}
