package tickets

import (
	"net/http"

	"github.com/oncespec/oncespec/mockapi/command"
	"github.com/oncespec/oncespec/mockapi/store"
)

// Close is a change of a ticket that answers without a body. Each execution counts, also on a ticket that is closed.
type Close struct {
	Ticket string `json:"ticket"`
	Reason string `json:"reason,omitzero"`
}

func decodeClose(request command.Request) (command.Command, error) {
	body, err := command.Decode[struct {
		Reason string `json:"reason"`
	}](request.Body)
	if err != nil {
		return nil, err
	}
	return Close{Ticket: request.Params["id"], Reason: body.Reason}, nil
}

// Check implements command.Command.
func (c Close) Check(r store.Reader, tenant string) error {
	_, err := kept.Load(r, tenant, c.Ticket)
	return err
}

// Decide implements command.Command.
func (c Close) Decide() *command.Refusal { return nil }

// Apply implements command.Command.
func (c Close) Apply(tx store.Tx, env command.Env) (command.Answer, error) {
	t, err := kept.Load(tx, env.Tenant, c.Ticket)
	if err != nil {
		return command.Answer{}, err
	}
	t.State = "closed"
	t.Revision++
	t.Closures++
	return command.Answer{Status: http.StatusNoContent}, kept.Save(tx, env.Tenant, t)
}
