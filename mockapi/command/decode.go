package command

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Decode reads a JSON object strictly: one value, no duplicate or unknown members, names in their exact case, valid UTF-8.
// Members of type jsontext.Value keep their spelling. An empty body counts as {}. Errors are *Refusal: 400 for what is no
// JSON, 422 for what is not what T asks for.
func Decode[T any](body []byte) (T, error) {
	var value T
	if len(bytes.TrimSpace(body)) == 0 {
		body = []byte("{}")
	}
	if kind := jsontext.Value(body).Kind(); kind != '{' && jsontext.Value(body).IsValid() {
		return value, Invalid(Field{Detail: fmt.Sprintf("expected an object, found %s", kind)})
	}
	err := json.Unmarshal(body, &value, json.RejectUnknownMembers(true))
	if err == nil {
		return value, nil
	}
	var semantic *json.SemanticError
	switch {
	case !errors.As(err, &semantic):
		return value, &Refusal{Status: http.StatusBadRequest, Code: "malformed_body", Title: "The body is not valid JSON", Detail: err.Error()}
	case errors.Is(err, json.ErrUnknownName):
		return value, Invalid(Field{Pointer: string(semantic.JSONPointer), Detail: "unknown field"})
	case semantic.Err != nil:
		return value, Invalid(Field{Pointer: string(semantic.JSONPointer), Detail: semantic.Err.Error()})
	}
	return value, Invalid(Field{Pointer: string(semantic.JSONPointer), Detail: fmt.Sprintf("unexpected %s", semantic.JSONKind)})
}
