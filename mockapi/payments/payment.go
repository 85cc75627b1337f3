package payments

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/oncespec/oncespec/mockapi/command"
	"github.com/oncespec/oncespec/mockapi/store"
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

func (p Payment) location() string { return "/v1/payments/" + p.ID }

func write(tx store.Tx, tenant string, p Payment) error {
	body, err := json.Marshal(p)
	if err != nil {
		return fmt.Errorf("payment %s: %w", p.ID, err)
	}
	return tx.PutDocument(store.Document{Kind: Kind, Tenant: tenant, ID: p.ID, Lookup: p.Account, Body: body})
}

func decode(document store.Document) (p Payment, err error) {
	if err := json.Unmarshal(document.Body, &p); err != nil {
		return Payment{}, fmt.Errorf("payment %s as stored: %w", document.ID, err)
	}
	return p, nil
}

func get(r store.Reader, tenant string, request command.Request) (command.Answer, error) {
	id := request.Params["id"]
	document, err := r.Document(Kind, tenant, id)
	if errors.Is(err, store.ErrNotFound) {
		return command.Answer{}, command.NotFound("payment", id)
	}
	if err != nil {
		return command.Answer{}, fmt.Errorf("payment %s: %w", id, err)
	}
	p, err := decode(document)
	if err != nil {
		return command.Answer{}, err
	}
	return command.JSON(http.StatusOK, "", p)
}

func list(r store.Reader, tenant string, request command.Request) (command.Answer, error) {
	page, err := command.ReadPage(r, store.Query{Kind: Kind, Tenant: tenant}, request.Query, "/v1/payments", "account")
	if err != nil {
		return command.Answer{}, err
	}
	answer := struct {
		Payments []Payment `json:"payments"`
		Next     *string   `json:"next"`
	}{Next: page.Next}
	for _, document := range page.Documents {
		p, err := decode(document)
		if err != nil {
			return command.Answer{}, err
		}
		answer.Payments = append(answer.Payments, p)
	}
	return command.JSON(http.StatusOK, "", answer)
}
