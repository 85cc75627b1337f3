package tickets

import (
	"net/http"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/oncespec/oncespec/mockapi/command"
	"github.com/oncespec/oncespec/mockapi/store"
)

// Projects that behave in a way of their own.
const (
	closedProject = "closed"  // refuses new tickets for good
	brokenProject = "explode" // makes the handler panic
)

// Create is a new ticket. Absent and null members count as their defaults, but in Details.
type Create struct {
	Project  string         `json:"project"`
	Title    string         `json:"title"`
	Priority string         `json:"priority"` // low | normal | high
	Labels   []string       `json:"labels"`
	Details  jsontext.Value `json:"details,omitzero"` // free form
	Notify   string         `json:"notify"`           // who is told of it: none, owner, or any other
}

func decodeCreate(request command.Request) (command.Command, error) {
	body, err := command.Decode[struct {
		Project  string         `json:"project"`
		Title    string         `json:"title"`
		Priority string         `json:"priority"`
		Labels   []string       `json:"labels"`
		Details  jsontext.Value `json:"details"`
	}](request.Body)
	if err != nil {
		return nil, err
	}
	c := Create{Project: body.Project, Title: body.Title, Priority: body.Priority, Labels: body.Labels, Details: body.Details, Notify: "none"}
	var invalid []command.Field
	if c.Project == "" {
		invalid = append(invalid, command.Field{Pointer: "/project", Detail: "expected a name, found none"})
	}
	if c.Title == "" {
		invalid = append(invalid, command.Field{Pointer: "/title", Detail: "expected a text, found none"})
	}
	if c.Priority == "" {
		c.Priority = "normal"
	}
	if !slices.Contains([]string{"low", "normal", "high"}, c.Priority) {
		invalid = append(invalid, command.Field{Pointer: "/priority", Detail: "expected low, normal or high"})
	}
	if notify := request.Query["notify"]; len(notify) > 0 {
		c.Notify = strings.Join(notify, ",")
	}
	return c, command.Invalid(invalid...)
}

// Check implements command.Command.
func (c Create) Check(store.Reader, string) error { return nil }

// Decide implements command.Command.
func (c Create) Decide() *command.Refusal {
	switch c.Project {
	case closedProject:
		return &command.Refusal{Status: http.StatusForbidden, Code: "project_closed", Title: "The project takes no new tickets"}
	case brokenProject:
		panic("tickets.create: the project is broken")
	}
	return nil
}

// Apply implements command.Command.
func (c Create) Apply(tx store.Tx, env command.Env) (command.Answer, error) {
	t := Ticket{ID: "tkt_" + env.NewID(), Project: c.Project, Title: c.Title, Priority: c.Priority, Labels: c.Labels,
		Details: c.Details, Notify: c.Notify, State: "open", Revision: 1}
	if err := kept.Save(tx, env.Tenant, t); err != nil {
		return command.Answer{}, err
	}
	return command.JSON(http.StatusCreated, kept.Location(t), t)
}
