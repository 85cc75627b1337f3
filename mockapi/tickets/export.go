package tickets

import (
	"bytes"
	"fmt"
	"net/http"
	"strconv"

	"github.com/oncespec/oncespec/mockapi/command"
	"github.com/oncespec/oncespec/mockapi/store"
)

// exportSize is what every export is longer than, in bytes.
const exportSize = 1 << 20

// Export writes a ticket out as a long text. Each execution counts and has a number.
type Export struct {
	Ticket string `json:"ticket"`
	Header string `json:"header,omitzero"` // written above the text
}

func decodeExport(request command.Request) (command.Command, error) {
	body, err := command.Decode[struct {
		Header string `json:"header"`
	}](request.Body)
	if err != nil {
		return nil, err
	}
	return Export{Ticket: request.Params["id"], Header: body.Header}, nil
}

// Check implements command.Command.
func (c Export) Check(r store.Reader, tenant string) error {
	_, err := kept.Load(r, tenant, c.Ticket)
	return err
}

// Decide implements command.Command.
func (c Export) Decide() *command.Refusal { return nil }

// Apply implements command.Command.
func (c Export) Apply(tx store.Tx, env command.Env) (command.Answer, error) {
	t, err := kept.Load(tx, env.Tenant, c.Ticket)
	if err != nil {
		return command.Answer{}, err
	}
	t.Exports++
	if err := kept.Save(tx, env.Tenant, t); err != nil {
		return command.Answer{}, err
	}
	return command.Answer{Status: http.StatusCreated, ContentType: "text/plain; charset=utf-8", Location: kept.Location(t), Body: c.text(t)}, nil
}

func (c Export) text(t Ticket) []byte {
	var text bytes.Buffer
	text.Grow(exportSize + exportSize/8)
	fmt.Fprintf(&text, "export %d of ticket %s\n%s\n", t.Exports, t.ID, c.Header)
	rest := " " + t.Project + ": " + t.Title + "\n"
	for line := int64(1); text.Len() <= exportSize; line++ { // tens of thousands: formatting them would be most of the work
		text.Write(strconv.AppendInt(text.AvailableBuffer(), line, 10))
		text.WriteString(rest)
	}
	return text.Bytes()
}
