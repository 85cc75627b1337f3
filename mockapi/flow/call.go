package flow

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/go-json-experiment/json"

	"github.com/oncespec/oncespec/mockapi/command"
	"github.com/oncespec/oncespec/mockapi/store"
)

// Call is one request for a write, as far as it is understood.
type Call struct {
	HTTP      *http.Request // its body is in Input
	Operation command.Operation
	Principal Principal
	Input     command.Request
	Command   command.Command
	JSON      []byte // the command's JSON form

	Key         string // as the client meant it
	ID          store.ID
	Fingerprint string
	Owner       string // this attempt
}

// Serve answers a request for a write. The work goes on if the client hangs up.
func (f *Flow) Serve(w http.ResponseWriter, r *http.Request, operation command.Operation, params map[string]string) {
	ctx, leave, err := f.enter(r.Context())
	if err != nil {
		Write(w, Problem(&command.Refusal{Status: http.StatusServiceUnavailable, Code: "closing", Title: err.Error()}))
		return
	}
	defer leave()
	call := &Call{HTTP: r, Operation: operation, Input: command.Request{Params: params, Query: r.URL.Query(), Media: r.Header.Get("Content-Type")}}
	answer, err := f.serve(ctx, call)
	if err != nil {
		answer = f.Trouble(err)
	}
	f.Deliver(ctx, w, call, answer)
}

func (f *Flow) serve(ctx context.Context, call *Call) (_ Answer, err error) {
	if call.Principal, err = f.Authenticate(call.HTTP); err != nil {
		return Answer{}, err
	}
	if call.Operation.Keyed {
		if call.Key, err = f.DecodeKey(call); err != nil {
			return Answer{}, err
		}
	}
	if call.Input.Body, err = f.ReadBody(call.HTTP); err != nil {
		return Answer{}, err
	}
	if len(call.Input.Body) > 0 {
		if err := checkMedia(call.HTTP, call.Operation.Media); err != nil {
			return Answer{}, err
		}
	}
	if call.Command, err = call.Operation.Decode(call.Input); err != nil {
		return Answer{}, err
	}
	if call.JSON, err = json.Marshal(call.Command, json.Deterministic(true)); err != nil {
		return Answer{}, fmt.Errorf("command %s: %w", call.Operation.Name, err)
	}
	if err := f.Store.View(ctx, func(r store.Reader) error { return call.Command.Check(r, call.Principal.Tenant) }); err != nil {
		return Answer{}, err
	}
	if call.Key == "" {
		return f.Unkeyed(ctx, call)
	}
	if call.Fingerprint, err = f.Fingerprint(call); err != nil {
		return Answer{}, err
	}
	call.ID = f.Identify(call)
	return f.Do(ctx, call)
}

// Read answers a reading request. A key on it means nothing.
func (f *Flow) Read(r *http.Request, read command.Read, params map[string]string) Answer {
	principal, err := f.Authenticate(r)
	if err != nil {
		return f.Trouble(err)
	}
	var answer command.Answer
	err = f.Store.View(r.Context(), func(reader store.Reader) (err error) {
		answer, err = read.Serve(reader, principal.Tenant, command.Request{Params: params, Query: r.URL.Query()})
		return err
	})
	if err != nil {
		return f.Trouble(err)
	}
	return answerOf(answer)
}

// ReadStatus answers a request for the state of an operation.
func (f *Flow) ReadStatus(r *http.Request, key string) Answer {
	principal, err := f.Authenticate(r)
	if err != nil {
		return f.Trouble(err)
	}
	answer, err := f.Status(r.Context(), principal, key)
	if err != nil {
		return f.Trouble(err)
	}
	return answer
}

// Trouble is the answer that tells of an error: a refusal as it is, a store that is out of reach as a 503, anything else as a
// 500; the latter two go to the log.
func (f *Flow) Trouble(err error) Answer {
	var refusal *command.Refusal
	if errors.As(err, &refusal) {
		return Problem(refusal)
	}
	f.Log.Error("request failed", "error", err)
	if errors.Is(err, store.ErrUnavailable) {
		f.recovery.doubted() // a claim whose commit was cut off may be there, or come, and nobody is at work on it
		return With(Problem(storeUnavailable()), "Retry-After", retryAfter)
	}
	return Problem(&command.Refusal{Status: http.StatusInternalServerError, Code: "internal", Title: "The server failed"})
}

// storeUnavailable does not say whether something was done: a commit may have been cut off.
func storeUnavailable() *command.Refusal {
	return &command.Refusal{Status: http.StatusServiceUnavailable, Code: "store_unavailable",
		Title: "The database is out of reach; the same request with the same key finds out whether the work was done"}
}
