package tickets

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/oncespec/oncespec/mockapi/command"
	"github.com/oncespec/oncespec/mockapi/store"
)

// Kind is the kind of ticket documents in the store; lists narrow them by title.
const Kind = "ticket"

// Ticket is the resource, and its form in answers.
type Ticket struct {
	ID       string         `json:"id"`
	Project  string         `json:"project"`
	Title    string         `json:"title"`
	Priority string         `json:"priority"`
	Labels   []string       `json:"labels"`
	Details  jsontext.Value `json:"details,omitzero"` // as the client wrote it
	Notify   string         `json:"notify"`
	State    string         `json:"state"` // open | closed
	Revision int            `json:"revision"`
	Closures int            `json:"closures"` // times that a close was executed
	Exports  int            `json:"exports"`  // times that an export was executed
}

func (t Ticket) location() string { return "/v1/tickets/" + t.ID }

func read(r store.Reader, tenant, id string) (Ticket, error) {
	document, err := r.Document(Kind, tenant, id)
	if errors.Is(err, store.ErrNotFound) {
		return Ticket{}, command.NotFound("ticket", id)
	}
	if err != nil {
		return Ticket{}, fmt.Errorf("ticket %s: %w", id, err)
	}
	return decode(document)
}

func decode(document store.Document) (t Ticket, err error) {
	if err := json.Unmarshal(document.Body, &t); err != nil {
		return Ticket{}, fmt.Errorf("ticket %s as stored: %w", document.ID, err)
	}
	return t, nil
}

func write(tx store.Tx, tenant string, t Ticket) error {
	body, err := json.Marshal(t)
	if err != nil {
		return fmt.Errorf("ticket %s: %w", t.ID, err)
	}
	return tx.PutDocument(store.Document{Kind: Kind, Tenant: tenant, ID: t.ID, Lookup: t.Title, Body: body})
}

func get(r store.Reader, tenant string, request command.Request) (command.Answer, error) {
	t, err := read(r, tenant, request.Params["id"])
	if err != nil {
		return command.Answer{}, err
	}
	return command.JSON(http.StatusOK, "", t)
}

func list(r store.Reader, tenant string, request command.Request) (command.Answer, error) {
	page, err := command.ReadPage(r, store.Query{Kind: Kind, Tenant: tenant}, request.Query, "/v1/tickets", "title")
	if err != nil {
		return command.Answer{}, err
	}
	answer := struct {
		Tickets []Ticket `json:"tickets"`
		Next    *string  `json:"next"`
	}{Next: page.Next}
	for _, document := range page.Documents {
		t, err := decode(document)
		if err != nil {
			return command.Answer{}, err
		}
		answer.Tickets = append(answer.Tickets, t)
	}
	return command.JSON(http.StatusOK, "", answer)
}
