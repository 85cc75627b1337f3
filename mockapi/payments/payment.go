package payments

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/oncespec/oncespec/mockapi/command"
)

// Kind is the kind of payment documents in the store; lists narrow them by account.
const Kind = "payment"

// Payment is the resource, and its form in answers.
type Payment struct {
	ID       string         `json:"id"`
	Account  string         `json:"account"`
	Amount   Amount         `json:"amount"`
	Currency string         `json:"currency"`
	Order    string         `json:"order"`
	Metadata jsontext.Value `json:"metadata,omitzero"` // as the client wrote it
	State    string         `json:"state"`             // succeeded
}

var kept = command.Resource[Payment]{Kind: Kind, Path: "/v1/payments", Member: "payments", By: "account",
	ID: func(p Payment) string { return p.ID }, Lookup: func(p Payment) string { return p.Account }}
