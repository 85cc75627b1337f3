package tickets

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"github.com/go-json-experiment/json"

	"github.com/oncespec/oncespec/mockapi/command"
	"github.com/oncespec/oncespec/mockapi/store"
)

// LabelKind is the kind of label documents in the store.
const LabelKind = "label"

// Label is a resource under an id that the client chose.
type Label struct {
	Ref     string `json:"ref"`
	Name    string `json:"name,omitzero"`
	Color   string `json:"color"`
	Changes int    `json:"changes"` // times that the content changed, its creation included
}

// PutLabel creates a label or replaces its content. Repeating it changes nothing.
type PutLabel struct {
	Ref   string `json:"ref"`
	Name  string `json:"name,omitzero"`
	Color string `json:"color"`
}

func decodePutLabel(request command.Request) (command.Command, error) {
	body, err := command.Decode[struct {
		Name  string `json:"name"`
		Color string `json:"color"`
	}](request.Body)
	if err != nil {
		return nil, err
	}
	if body.Color == "" {
		return nil, command.Invalid(command.Field{Pointer: "/color", Detail: "expected a color, found none"})
	}
	return PutLabel{Ref: request.Params["ref"], Name: body.Name, Color: body.Color}, nil
}

// Check implements command.Command.
func (c PutLabel) Check(store.Reader, string) error { return nil }

// Decide implements command.Command.
func (c PutLabel) Decide() *command.Refusal { return nil }

// Apply implements command.Command.
func (c PutLabel) Apply(tx store.Tx, env command.Env) (command.Answer, error) {
	label, err := readLabel(tx, env.Tenant, c.Ref)
	status := http.StatusOK
	var missing *command.Refusal
	switch {
	case errors.As(err, &missing):
		label, status = Label{Ref: c.Ref}, http.StatusCreated
	case err != nil:
		return command.Answer{}, err
	}
	if label.Name != c.Name || label.Color != c.Color {
		label.Name, label.Color = c.Name, c.Color
		label.Changes++
		body, err := json.Marshal(label)
		if err != nil {
			return command.Answer{}, fmt.Errorf("label %s: %w", c.Ref, err)
		}
		if err := tx.PutDocument(store.Document{Kind: LabelKind, Tenant: env.Tenant, ID: c.Ref, Body: body}); err != nil {
			return command.Answer{}, err
		}
	}
	location := ""
	if status == http.StatusCreated {
		location = "/v1/labels/" + url.PathEscape(c.Ref)
	}
	return command.JSON(status, location, label)
}

func readLabel(r store.Reader, tenant, ref string) (label Label, err error) {
	document, err := r.Document(LabelKind, tenant, ref)
	if errors.Is(err, store.ErrNotFound) {
		return Label{}, command.NotFound("label", ref)
	}
	if err != nil {
		return Label{}, fmt.Errorf("label %s: %w", ref, err)
	}
	if err := json.Unmarshal(document.Body, &label); err != nil {
		return Label{}, fmt.Errorf("label %s as stored: %w", ref, err)
	}
	return label, nil
}

func getLabel(r store.Reader, tenant string, request command.Request) (command.Answer, error) {
	label, err := readLabel(r, tenant, request.Params["ref"])
	if err != nil {
		return command.Answer{}, err
	}
	return command.JSON(http.StatusOK, "", label)
}
