package tickets

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/oncespec/oncespec/mockapi/command"
	"github.com/oncespec/oncespec/mockapi/store"
)

// attachmentKind is the kind of attachment documents in the store; lists narrow them by ticket.
const attachmentKind = "attachment"

const (
	asForm  = "application/x-www-form-urlencoded"
	asParts = "multipart/form-data"

	mostAttachments = 500
)

var attachMedia = []string{asForm, asParts, "application/json"}

// Attach is what somebody adds to a ticket: fields, which may repeat, and files. However it was sent, as a form, in parts or as
// JSON, it is the same command.
type Attach struct {
	Ticket string              `json:"ticket"`
	Fields map[string][]string `json:"fields"`
	Files  map[string][]File   `json:"files,omitzero"`
}

// File is an attached file. Its content counts, and is not kept.
type File struct {
	Name   string `json:"name"`
	Type   string `json:"type,omitzero"`
	Size   int    `json:"size"`
	SHA256 string `json:"sha256"`
}

// Attachment is the resource, and its form in answers.
type Attachment struct {
	ID string `json:"id"`
	Attach
}

func decodeAttach(request command.Request) (command.Command, error) {
	c := Attach{Ticket: request.Params["id"], Fields: map[string][]string{}}
	media, parameters, _ := mime.ParseMediaType(request.Media)
	var err error
	switch media {
	case asForm:
		err = c.readForm(request.Body)
	case asParts:
		err = c.readParts(request.Body, parameters["boundary"])
	default:
		err = c.readJSON(request.Body)
	}
	if err != nil {
		return nil, err
	}
	if len(c.Fields["note"]) == 0 || c.Fields["note"][0] == "" {
		return nil, command.Invalid(command.Field{Pointer: "/note", Detail: "expected a text, found none"})
	}
	return c, nil
}

func (c *Attach) readForm(body []byte) error {
	values, err := url.ParseQuery(string(body))
	if err != nil {
		return unreadable(err)
	}
	c.Fields = values
	return nil
}

func (c *Attach) readParts(body []byte, boundary string) error {
	reader := multipart.NewReader(bytes.NewReader(body), boundary)
	for {
		part, err := reader.NextRawPart()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return unreadable(err)
		}
		content, err := io.ReadAll(part)
		if err != nil {
			return unreadable(err)
		}
		name := part.FormName()
		if part.FileName() == "" {
			c.Fields[name] = append(c.Fields[name], string(content))
			continue
		}
		if c.Files == nil {
			c.Files = map[string][]File{}
		}
		sum := sha256.Sum256(content)
		c.Files[name] = append(c.Files[name], File{Name: part.FileName(), Type: part.Header.Get("Content-Type"), Size: len(content), SHA256: hex.EncodeToString(sum[:])})
	}
}

// readJSON takes an object of texts, or of lists of them.
func (c *Attach) readJSON(body []byte) error {
	members, err := command.Decode[map[string]jsontext.Value](body)
	if err != nil {
		return err
	}
	for name, value := range members {
		var one string
		var several []string
		switch {
		case json.Unmarshal(value, &one) == nil:
			several = []string{one}
		case json.Unmarshal(value, &several) != nil:
			return command.Invalid(command.Field{Pointer: "/" + name, Detail: "expected a text or a list of texts"})
		}
		c.Fields[name] = several
	}
	return nil
}

func unreadable(err error) error {
	return &command.Refusal{Status: http.StatusBadRequest, Code: "malformed_body", Title: "The body cannot be read", Detail: err.Error()}
}

// Check implements command.Command.
func (c Attach) Check(r store.Reader, tenant string) error {
	_, err := kept.Load(r, tenant, c.Ticket)
	return err
}

// Decide implements command.Command.
func (c Attach) Decide() *command.Refusal { return nil }

// Apply implements command.Command.
func (c Attach) Apply(tx store.Tx, env command.Env) (command.Answer, error) {
	a := Attachment{ID: "att_" + env.NewID(), Attach: c}
	body, err := json.Marshal(a, json.Deterministic(true))
	if err != nil {
		return command.Answer{}, fmt.Errorf("attachment %s: %w", a.ID, err)
	}
	if err := tx.PutDocument(store.Document{Kind: attachmentKind, Tenant: env.Tenant, ID: a.ID, Lookup: c.Ticket, Body: body}); err != nil {
		return command.Answer{}, err
	}
	return command.JSON(http.StatusCreated, "", a)
}

func listAttachments(r store.Reader, tenant string, request command.Request) (command.Answer, error) {
	found, err := r.Documents(store.Query{Kind: attachmentKind, Tenant: tenant, Lookup: request.Params["id"], Limit: mostAttachments})
	if err != nil {
		return command.Answer{}, err
	}
	answer := struct {
		Attachments []jsontext.Value `json:"attachments"`
	}{Attachments: []jsontext.Value{}}
	for _, document := range found {
		answer.Attachments = append(answer.Attachments, jsontext.Value(document.Body))
	}
	return command.JSON(http.StatusOK, "", answer)
}
