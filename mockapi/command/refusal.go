package command

import (
	"fmt"
	"net/http"
)

// Refusal is why a request is not done, in the shape of problem details (RFC 9457).
type Refusal struct {
	Status int
	Code   string // machine-readable: "project_closed"
	Title  string
	Detail string
	Fields []Field
}

// Field names one invalid part of a request.
type Field struct {
	Pointer string `json:"pointer"` // JSON Pointer into the body, or "?name" for a query parameter
	Detail  string `json:"detail"`
}

// Error implements error.
func (r *Refusal) Error() string {
	text := fmt.Sprintf("%d %s: %s", r.Status, r.Code, r.Title)
	if r.Detail != "" {
		text += ": " + r.Detail
	}
	for _, f := range r.Fields {
		text += fmt.Sprintf("; %s: %s", f.Pointer, f.Detail)
	}
	return text
}

// Invalid refuses a request whose fields break the rules; nil without fields.
func Invalid(fields ...Field) error {
	if len(fields) == 0 {
		return nil
	}
	return &Refusal{Status: http.StatusUnprocessableEntity, Code: "invalid_request", Title: "The request is invalid", Fields: fields}
}

// NotFound refuses a request about something that the tenant does not have.
func NotFound(what, id string) error {
	return &Refusal{Status: http.StatusNotFound, Code: "not_found", Title: "There is no such " + what, Detail: what + " " + id}
}
