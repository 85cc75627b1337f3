package flow

import (
	"net/http"

	"github.com/go-json-experiment/json"

	"github.com/oncespec/oncespec/mockapi/command"
)

// Problem is a refusal as problem details (RFC 9457).
func Problem(refusal *command.Refusal) Answer {
	detail := refusal.Title
	if refusal.Detail != "" {
		detail += ": " + refusal.Detail
	}
	body, err := json.Marshal(struct {
		Type   string          `json:"type"`
		Title  string          `json:"title"` // of about:blank the title is the status's
		Status int             `json:"status"`
		Detail string          `json:"detail"`
		Code   string          `json:"code"`
		Errors []command.Field `json:"errors,omitempty"`
	}{"about:blank", http.StatusText(refusal.Status), refusal.Status, detail, refusal.Code, refusal.Fields})
	if err != nil { // a text that is not valid UTF-8, taken from the request
		body = []byte(`{"type":"about:blank","detail":"the reason cannot be told in JSON"}`)
	}
	return Answer{Status: refusal.Status, Header: map[string][]string{"Content-Type": {"application/problem+json"}}, Body: body}
}

func answerOf(a command.Answer) Answer {
	header := map[string][]string{}
	if a.ContentType != "" {
		header["Content-Type"] = []string{a.ContentType}
	}
	if a.Location != "" {
		header["Location"] = []string{a.Location}
	}
	return Answer{Status: a.Status, Header: header, Body: a.Body}
}

// With returns the answer with one more header field. The answer itself is not changed, since it may be stored.
func With(a Answer, name, value string) Answer {
	header := make(map[string][]string, len(a.Header)+1)
	for n, values := range a.Header {
		header[n] = values
	}
	header[http.CanonicalHeaderKey(name)] = []string{value}
	a.Header = header
	return a
}
