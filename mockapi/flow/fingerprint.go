package flow

import (
	"errors"
	"net/http"

	"github.com/oncespec/oncespec/mockapi/command"
	"github.com/oncespec/oncespec/mockapi/contract"
	"github.com/oncespec/oncespec/mockapi/fingerprint"
)

// fingerprint digests the validated command, so that spelling, defaults and order cannot count; a contract that compares
// bytes gets the body as it was sent.
func (f *Flow) fingerprint(call *Call) (string, error) {
	return Digest(f.Contract.Fingerprint, call)
}

// Digest is the fingerprint of a call under a declaration of what counts.
func Digest(declared contract.Fingerprint, call *Call) (string, error) {
	request := fingerprint.Request{
		Method: call.HTTP.Method,
		Path:   call.HTTP.URL.EscapedPath(),
		Query:  call.HTTP.URL.RawQuery,
		Header: call.HTTP.Header,
		Body:   call.Input.Body,
	}
	if declared.Mode != contract.ModeRaw {
		request.Body = call.JSON
		request.Header = call.HTTP.Header.Clone()
		request.Header["Content-Type"] = []string{"application/json"}
	}
	digest, err := fingerprint.Of(declared, request)
	var unreadable *fingerprint.Error
	if errors.As(err, &unreadable) {
		return "", &command.Refusal{Status: http.StatusBadRequest, Code: "malformed_body", Title: "The body cannot be compared", Detail: err.Error()}
	}
	return digest, err
}
