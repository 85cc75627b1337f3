package mutants

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"golang.org/x/sync/singleflight"

	"github.com/oncespec/oncespec/mockapi/command"
	"github.com/oncespec/oncespec/mockapi/contract"
	"github.com/oncespec/oncespec/mockapi/flow"
	"github.com/oncespec/oncespec/mockapi/store"
)

var keyMutants = []Mutant{
	{
		Name:      "no-idempotency",
		Defect:    "It ignores keys: every request is executed.",
		Stage:     "DecodeKey",
		Operation: "create-ticket",
		Must:      []string{"replay/one-effect#resource", "replay/one-effect#downstream", "replay/no-downstream"},
		May: []May{
			{"key/required", "a request without a key is executed like any other"},
			{"key/malformed", "so is one with a malformed key"},
			{"status/by-key", "nothing is recorded under a key"},
		},
		Install: func(f *flow.Flow) {
			f.DecodeKey = func(*flow.Call) (string, error) { return "", nil }
		},
	},
	{
		Name:      "dedupe-by-payload",
		Defect:    "It takes equal payloads for duplicates: a second key with the same payload gets the first one's result.",
		Stage:     "Execute",
		Operation: "create-ticket",
		Must:      []string{"key/distinct-keys"},
		Install:   dedupeByPayload,
	},
	{
		Name:      "key-not-required",
		Defect:    "A write without a key is executed, although the contract refuses it.",
		Stage:     "DecodeKey",
		Operation: "create-ticket",
		Must:      []string{"key/required"},
		Install: func(f *flow.Flow) {
			decodeKey := f.DecodeKey
			f.DecodeKey = func(call *flow.Call) (string, error) {
				if len(call.HTTP.Header.Values(f.Contract.Name)) == 0 {
					return "", nil
				}
				return decodeKey(call)
			}
		},
	},
	{
		Name:      "key-truncated",
		Defect:    "It stores the first 50 characters of a key, so long keys that differ at the end are one.",
		Stage:     "StoredKey",
		Operation: "create-ticket",
		Must:      []string{"key/full-length"},
		Install: func(f *flow.Flow) {
			f.StoredKey = func(key string) string { return key[:min(50, len(key))] }
		},
	},
	{
		Name:      "key-too-long-for-its-column",
		Defect:    "Its key column takes 128 characters: a longer key is answered 500.",
		Stage:     "DecodeKey",
		Operation: "create-ticket",
		Must:      []string{"key/malformed#over-long"},
		Install: func(f *flow.Flow) {
			decodeKey := f.DecodeKey
			f.DecodeKey = func(call *flow.Call) (string, error) {
				key, err := decodeKey(call)
				if len(key) > 128 {
					return "", errors.New("the value is too long for the column")
				}
				return key, err
			}
		},
	},
	{
		Name:      "key-folds-case",
		Defect:    "Its key column does not tell upper from lower case.",
		Stage:     "StoredKey",
		Operation: "create-ticket",
		Must:      []string{"key/case-matters"},
		Install:   func(f *flow.Flow) { f.StoredKey = strings.ToLower },
	},
	{
		Name:      "key-sent-twice-executes-twice",
		Defect:    "A request with two key fields is executed for each of them.",
		Stage:     "DecodeKey",
		Operation: "create-ticket",
		Must:      []string{"key/sent-twice"},
		Install: func(f *flow.Flow) {
			decodeKey, execute := f.DecodeKey, f.Execute
			f.DecodeKey = func(call *flow.Call) (string, error) {
				if keys := call.HTTP.Header.Values(f.Contract.Name); len(keys) == 2 {
					return f.Contract.DecodeKey(keys[:1])
				}
				return decodeKey(call)
			}
			f.Execute = func(ctx context.Context, call *flow.Call, entry flow.Entry) (flow.Answer, error) {
				if len(call.HTTP.Header.Values(f.Contract.Name)) == 2 {
					if _, err := f.Unkeyed(ctx, call); err != nil {
						return flow.Answer{}, err
					}
				}
				return execute(ctx, call, entry)
			}
		},
	},
	{
		Name:      "key-malformed-500",
		Defect:    "A malformed key is answered 500.",
		Stage:     "DecodeKey",
		Operation: "create-ticket",
		Must:      []string{"key/malformed#unbalanced"},
		May: []May{
			{"key/malformed", "the other kinds of malformed keys"},
			{"key/quoted-and-bare", "a bare key is malformed under this contract"},
			{"key/sent-twice", "a key that is sent twice is malformed under this contract"},
		},
		Install: func(f *flow.Flow) {
			decodeKey := f.DecodeKey
			f.DecodeKey = func(call *flow.Call) (string, error) {
				key, err := decodeKey(call)
				if _, why := f.Contract.DecodeKey(call.HTTP.Header.Values(f.Contract.Name)); err != nil && !errors.Is(why, contract.ErrKeyMissing) {
					return "", fmt.Errorf("parse key: %s", why)
				}
				return key, err
			}
		},
	},
	{
		Name:      "key-quotes-count",
		Defect:    "It takes the field as it stands for the key, so a quoted and a bare key are two operations.",
		Stage:     "DecodeKey",
		Operation: "create-ticket",
		Must:      []string{"key/quoted-and-bare"},
		May: []May{
			{"fingerprint/declared#key/quoted", "the same key, with quotes or without, is among the rewrites"},
			{"key/malformed", "there are no malformed keys any more"},
		},
		Install: func(f *flow.Flow) {
			decodeKey, status := f.DecodeKey, f.Status
			f.DecodeKey = func(call *flow.Call) (string, error) {
				if raw := call.HTTP.Header.Get(f.Contract.Name); raw != "" {
					return raw, nil
				}
				return decodeKey(call)
			}
			f.Status = func(ctx context.Context, principal flow.Principal, key string) (flow.Answer, error) {
				if quoted, err := contract.Quote(key); err == nil {
					if answer, err := status(ctx, principal, quoted); err == nil {
						return answer, nil
					}
				}
				return status(ctx, principal, key)
			}
		},
	},
	{
		Name:      "key-needs-hyphen",
		Defect:    "It takes only keys that look like UUIDs, although the contract asks for no format.",
		Stage:     "DecodeKey",
		Operation: "create-ticket",
		Must:      []string{"key/accepts-random"},
		Install: func(f *flow.Flow) {
			decodeKey := f.DecodeKey
			f.DecodeKey = func(call *flow.Call) (string, error) {
				key, err := decodeKey(call)
				if err == nil && key != "" && !strings.Contains(key, "-") {
					return "", &command.Refusal{Status: http.StatusBadRequest, Code: "idempotency_key_malformed", Title: "The key is no UUID"}
				}
				return key, err
			}
		},
	},
	{
		Name:      "key-on-get-refused",
		Defect:    "A GET that carries a key is refused.",
		Stage:     "Authenticate",
		Operation: "create-ticket",
		Must:      []string{"key/safe-method"},
		Install: func(f *flow.Flow) {
			authenticate := f.Authenticate
			f.Authenticate = func(r *http.Request) (flow.Principal, error) {
				if r.Method == http.MethodGet && r.Header.Get(f.Contract.Name) != "" {
					return flow.Principal{}, &command.Refusal{Status: http.StatusBadRequest, Code: "idempotency_key_unexpected", Title: "A GET takes no key"}
				}
				return authenticate(r)
			}
		},
	},
	{
		Name:      "scope-global",
		Defect:    "Keys are one space for all tenants: another tenant's equal request gets the stored answer.",
		Stage:     "Identify",
		Operation: "create-ticket",
		Must:      []string{"key/other-principal"},
		May: []May{
			{"replay/authorised", "whoever has the key gets the stored answer"},
			{"key/other-operation", "keys are one space for all operations too"},
		},
		Install: func(f *flow.Flow) {
			identify := f.Identify
			f.Identify = func(call *flow.Call) store.ID {
				id := identify(call)
				id.Scope = "all"
				return id
			}
		},
	},
	{
		Name:      "in-flight-for-anybody",
		Defect:    "Requests under one key that run at the same time are one for all tenants: another tenant's gets the first one's result.",
		Stage:     "Execute",
		Operation: "create-ticket",
		Must:      []string{"key/other-principal"},
		Install: func(f *flow.Flow) {
			var running singleflight.Group
			execute := f.Execute
			f.Execute = func(ctx context.Context, call *flow.Call, entry flow.Entry) (flow.Answer, error) {
				mine := false
				shared, err, _ := running.Do(entry.Operation+" "+entry.Key, func() (any, error) {
					mine = true
					return execute(ctx, call, entry)
				})
				answer, _ := shared.(flow.Answer)
				if mine || err != nil {
					return answer, err
				}
				return f.Complete(ctx, entry, func(store.Tx) (flow.Answer, error) { return answer, nil })
			}
		},
	},
	{
		Name:      "scope-without-route",
		Defect:    "A key that was used on another route gets that route's stored answer.",
		Stage:     "Identify",
		Operation: "create-ticket",
		Must:      []string{"key/other-operation"},
		Install: func(f *flow.Flow) {
			identify, conflict := f.Identify, f.Conflict
			f.Identify = func(call *flow.Call) store.ID {
				id := identify(call)
				id.Scope = call.Principal.Tenant
				return id
			}
			f.Conflict = func(ctx context.Context, call *flow.Call, entry flow.Entry) (flow.Answer, error) {
				if entry.Operation != call.Operation.Name && entry.State.Final() {
					return f.Replay(ctx, call, entry)
				}
				return conflict(ctx, call, entry)
			}
		},
	},
	{
		Name:      "label-counts-repeats",
		Defect:    "Repeating a PUT counts as a change although nothing changes.",
		Stage:     "Unkeyed",
		Operation: "put-label",
		Must:      []string{"key/in-path"},
		Install:   labelCountsRepeats,
	},
}
