package reports

import (
	"encoding/base64"
	"fmt"
	"net/url"
	"strings"

	"github.com/oncespec/oncespec/scenarios/display"
	"github.com/oncespec/oncespec/scenarios/history"
)

// Curl writes the attempt as a curl command for a POSIX shell. What was redacted when it was recorded stays redacted.
func Curl(a *history.Attempt) string {
	var b strings.Builder
	fmt.Fprintf(&b, "curl -i -X %s %s%s", quote(a.Request.Method), asIs(a.Request.URL), quote(a.Request.URL))
	typed := false
	for _, h := range a.Request.Header {
		switch strings.ToLower(h[0]) {
		case "host", "content-length", "transfer-encoding", "connection":
			continue
		case "content-type":
			typed = true
		}
		field := h[0] + ": " + h[1]
		if strings.TrimSpace(h[1]) == "" {
			field = h[0] + ";" // a colon with nothing behind it would leave the field out
		}
		fmt.Fprintf(&b, " \\\n  -H %s", quote(field))
	}
	body := a.Request.Body
	if body.Length > 0 && !typed {
		b.WriteString(" \\\n  -H Content-Type:") // curl would call any body a form
	}
	switch {
	case body.Truncated:
		b.WriteString(" \\\n  --data-binary @body  # longer than what was recorded")
	case body.Base64 != "":
		return fmt.Sprintf("printf %%s %s | base64 -d | %s \\\n  --data-binary @-", quote(body.Base64), b.String())
	case display.Text(body.Text) != body.Text: // what must not be shown
		return fmt.Sprintf("printf %%s %s | base64 -d | %s \\\n  --data-binary @-", base64.StdEncoding.EncodeToString([]byte(body.Text)), b.String())
	case body.Text != "":
		fmt.Fprintf(&b, " \\\n  --data-raw %s", quote(body.Text)) // a leading @ names no file
	}
	return b.String()
}

// asIs are the options that keep curl from reading anything into a URL.
func asIs(url string) string {
	options := ""
	if strings.ContainsAny(url, "[]{}") {
		options = "-g "
	}
	if path, _, _ := strings.Cut(url, "?"); strings.Contains(path, "/.") {
		options += "--path-as-is "
	}
	return options
}

// script writes all attempts of a history as a shell script, with what was done to each as a comment. Faults cannot be
// scripted with curl; they stand as comments.
func script(h *history.History) string {
	var b strings.Builder
	fmt.Fprintf(&b, "#!/bin/sh\n# %s on %s\n# Put credentials where it says [redacted]. The keys are used by now: for another try, give each a new value.\n", h.Scenario, strings.Join(h.Operations, ", "))
	for _, e := range h.Events {
		switch {
		case e.Attempt != nil:
			fmt.Fprintf(&b, "\n# %s: %s%s\n%s\n", comment(e.Attempt.Label), comment(outcome(e.Attempt)), comment(faulted(e.Attempt)), Curl(e.Attempt))
		case e.Fault != nil:
			fmt.Fprintf(&b, "\n# fault: %s %s %s\n", comment(e.Fault.Kind), comment(e.Fault.Phase), comment(e.Fault.Detail))
		}
	}
	return b.String()
}

// comment keeps text on its comment line.
func comment(s string) string { return strings.Join(strings.Fields(display.Text(s)), " ") }

func outcome(a *history.Attempt) string {
	switch {
	case a.Outcome == history.Answered && a.Answer != nil:
		return fmt.Sprintf("answered %d", a.Answer.Status)
	case a.Reason != "":
		return a.Outcome + ", " + a.Reason
	}
	return a.Outcome
}

func faulted(a *history.Attempt) string {
	if a.Fault == "" {
		return ""
	}
	return " (fault: " + a.Fault + ")"
}

// path is the part of a URL that people read.
func path(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		return raw
	}
	return u.RequestURI()
}
