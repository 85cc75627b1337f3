package tickets

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/oncespec/oncespec/mockapi/command"
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

var kept = command.Resource[Ticket]{Kind: Kind, Path: "/v1/tickets", Member: "tickets", By: "title",
	ID: func(t Ticket) string { return t.ID }, Lookup: func(t Ticket) string { return t.Title }}
