package mutants

import (
	"context"
	"errors"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"

	"github.com/oncespec/oncespec/mockapi/flow"
	"github.com/oncespec/oncespec/mockapi/payments"
	"github.com/oncespec/oncespec/mockapi/store"
	"github.com/oncespec/oncespec/mockapi/tickets"
)

// dedupeByPayload remembers the answer to each payload and gives it to every other key.
func dedupeByPayload(f *flow.Flow) {
	var mu sync.Mutex
	answers := map[string]flow.Answer{}
	execute := f.Execute
	f.Execute = func(ctx context.Context, call *flow.Call, entry flow.Entry) (flow.Answer, error) {
		payload := entry.Tenant + entry.Operation + entry.Fingerprint
		mu.Lock()
		known, duplicate := answers[payload]
		mu.Unlock()
		if duplicate {
			return f.Complete(ctx, entry, func(store.Tx) (flow.Answer, error) { return known, nil })
		}
		answer, err := execute(ctx, call, entry)
		if err == nil && answer.Status/100 == 2 {
			mu.Lock()
			answers[payload] = answer
			mu.Unlock()
		}
		return answer, err
	}
}

// labelCountsRepeats counts every execution as a change.
func labelCountsRepeats(f *flow.Flow) {
	unkeyed := f.Unkeyed
	f.Unkeyed = func(ctx context.Context, call *flow.Call) (flow.Answer, error) {
		ref, isLabel := call.Input.Params["ref"]
		if !isLabel {
			return unkeyed(ctx, call)
		}
		changes := func() (n int, err error) {
			return n, f.Store.View(ctx, func(r store.Reader) error {
				label, err := label(r, call.Principal.Tenant, ref)
				n = label.Changes
				return err
			})
		}
		before, err := changes()
		if err != nil {
			return flow.Answer{}, err
		}
		answer, err := unkeyed(ctx, call)
		if err != nil {
			return answer, err
		}
		return answer, f.Store.Update(ctx, func(tx store.Tx) error {
			counted, err := label(tx, call.Principal.Tenant, ref)
			if err != nil {
				return err
			}
			counted.Changes = before + 1
			body, err := json.Marshal(counted)
			if err != nil {
				return err
			}
			return tx.PutDocument(store.Document{Kind: tickets.LabelKind, Tenant: call.Principal.Tenant, ID: ref, Body: body})
		})
	}
}

// label reads a label; one that does not exist has no changes.
func label(r store.Reader, tenant, ref string) (found tickets.Label, err error) {
	document, err := r.Document(tickets.LabelKind, tenant, ref)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return tickets.Label{}, nil
	case err != nil:
		return tickets.Label{}, err
	}
	return found, json.Unmarshal(document.Body, &found)
}

// withoutPayment is a transaction in which payments leave no trace but the balance that they moved.
type withoutPayment struct{ store.Tx }

func (tx withoutPayment) PutDocument(document store.Document) error {
	if document.Kind == payments.Kind {
		return nil
	}
	return tx.Tx.PutDocument(document)
}

// current is the resource that an answer names, as it is now, and false where it names no ticket.
func current(r store.Reader, entry flow.Entry) (body []byte, _ bool) {
	for _, location := range entry.Answer.Header["Location"] {
		id, isTicket := strings.CutPrefix(location, "/v1/tickets/")
		if document, err := r.Document(tickets.Kind, entry.Tenant, id); isTicket && err == nil {
			return document.Body, true
		}
	}
	return nil, false
}
