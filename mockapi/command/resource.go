package command

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/oncespec/oncespec/mockapi/store"
)

// Resource is a kind of thing that a domain keeps in the store as documents, and shows in its reads.
type Resource[T any] struct {
	Kind   string // of the documents, and what people call one
	Path   string // of its list; one is found below it
	Member string // of the list's answer that holds the items
	By     string // query parameter that narrows the list by Lookup

	ID     func(T) string
	Lookup func(T) string // nil: there is no list
}

// Location is the path of a thing.
func (k Resource[T]) Location(thing T) string { return k.Path + "/" + k.ID(thing) }

// Load reads a thing; it is a refusal where there is none.
func (k Resource[T]) Load(r store.Reader, tenant, id string) (thing T, err error) {
	document, err := r.Document(k.Kind, tenant, id)
	if errors.Is(err, store.ErrNotFound) {
		return thing, NotFound(k.Kind, id)
	}
	if err != nil {
		return thing, fmt.Errorf("%s %s: %w", k.Kind, id, err)
	}
	return k.decode(document)
}

func (k Resource[T]) decode(document store.Document) (thing T, err error) {
	if err := json.Unmarshal(document.Body, &thing); err != nil {
		return thing, fmt.Errorf("%s %s as stored: %w", k.Kind, document.ID, err)
	}
	return thing, nil
}

// Save writes a thing.
func (k Resource[T]) Save(tx store.Tx, tenant string, thing T) error {
	body, err := json.Marshal(thing)
	if err != nil {
		return fmt.Errorf("%s %s: %w", k.Kind, k.ID(thing), err)
	}
	document := store.Document{Kind: k.Kind, Tenant: tenant, ID: k.ID(thing), Body: body}
	if k.Lookup != nil {
		document.Lookup = k.Lookup(thing)
	}
	return tx.PutDocument(document)
}

// Get is the read of one thing, whose id is the path's parameter.
func (k Resource[T]) Get(r store.Reader, tenant string, request Request) (Answer, error) {
	thing, err := k.Load(r, tenant, request.Params["id"])
	if err != nil {
		return Answer{}, err
	}
	return JSON(http.StatusOK, "", thing)
}

// List is the read of a page of them.
func (k Resource[T]) List(r store.Reader, tenant string, request Request) (Answer, error) {
	page, err := readPage(r, store.Query{Kind: k.Kind, Tenant: tenant}, request.Query, k.Path, k.By)
	if err != nil {
		return Answer{}, err
	}
	things := make([]T, 0, len(page.Documents))
	for _, document := range page.Documents {
		thing, err := k.decode(document)
		if err != nil {
			return Answer{}, err
		}
		things = append(things, thing)
	}
	items, err := json.Marshal(things, json.Deterministic(true))
	if err != nil {
		return Answer{}, fmt.Errorf("list of %s: %w", k.Member, err)
	}
	next, err := json.Marshal(page.Next)
	if err != nil {
		return Answer{}, fmt.Errorf("list of %s: %w", k.Member, err)
	}
	return JSON(http.StatusOK, "", jsontext.Value(fmt.Sprintf(`{%q:%s,"next":%s}`, k.Member, items, next)))
}
