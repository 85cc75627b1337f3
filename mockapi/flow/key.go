package flow

import (
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/oncespec/oncespec/mockapi/command"
	"github.com/oncespec/oncespec/mockapi/contract"
	"github.com/oncespec/oncespec/mockapi/store"
)

// decodeKey reads the key as the contract says, and does what it says where there is none or a malformed one. Where the
// contract says nothing both are refused with 400.
func (f *Flow) decodeKey(call *Call) (string, error) {
	values := call.HTTP.Header.Values(f.Contract.Name)
	key, err := f.Contract.DecodeKey(values)
	if err == nil {
		return key, nil
	}
	situation, code := f.Contract.Malformed, "idempotency_key_malformed"
	if errors.Is(err, contract.ErrKeyMissing) || situation.Action == contract.ActionIgnore {
		situation, code = f.Contract.Missing, "idempotency_key_missing"
	}
	switch situation.Action {
	case contract.ActionExecute:
		return "", nil
	case contract.ActionAccept:
		if raw := strings.TrimSpace(values[0]); raw != "" {
			return raw, nil
		}
	}
	return "", refuse(situation, http.StatusBadRequest, code, "The "+f.Contract.Name+" field is refused", err.Error())
}

// identify puts the key into the scope that the contract names: where it names none, the tenant, the method and the route.
func (f *Flow) identify(call *Call) store.ID {
	scope := f.Contract.Scope
	if len(scope) == 0 {
		scope = []contract.Scope{contract.Account, contract.Method, contract.Route}
	}
	var parts []string
	for _, part := range []struct {
		scope contract.Scope
		value string
	}{
		{contract.Account, call.Principal.Tenant},
		{contract.Method, call.Operation.Method},
		{contract.Route, call.Operation.Pattern},
	} {
		if slices.Contains(scope, part.scope) {
			parts = append(parts, part.value)
		}
	}
	return store.ID{Scope: strings.Join(parts, " "), Key: f.StoredKey(call.Key)}
}

// refuse is the declared reaction to a situation; status and code are what it is where the contract leaves them open.
func refuse(declared contract.Response, status int, code, title, detail string) *command.Refusal {
	if len(declared.Statuses) > 0 {
		status = declared.Statuses[0]
	}
	if declared.Code != "" {
		code = declared.Code
	}
	return &command.Refusal{Status: status, Code: code, Title: title, Detail: detail}
}
