package command

import (
	"fmt"
	"net/url"
	"strconv"

	"github.com/oncespec/oncespec/mockapi/store"
)

const (
	pageSize    = 50
	pageMaximum = 500
)

// Page is one page of a list and the address of the next.
type Page struct {
	Documents []store.Document
	Next      *string // path and query; nil on the last page
}

// readPage reads the page of a list that the query parameters limit and after ask for. path is the list's own; parameter
// is the name of the query parameter that narrows it by lookup.
func readPage(r store.Reader, query store.Query, values url.Values, path, parameter string) (Page, error) {
	query.Lookup = values.Get(parameter)
	limit, err := number(values, "limit", pageSize, 1, pageMaximum)
	if err != nil {
		return Page{}, err
	}
	if query.After, err = number(values, "after", 0, 0, 1<<62); err != nil {
		return Page{}, err
	}
	query.Limit = int(limit) + 1 // one more shows whether there is a next page
	found, err := r.Documents(query)
	if err != nil {
		return Page{}, err
	}
	if len(found) <= int(limit) {
		return Page{Documents: found}, nil
	}
	found = found[:limit]
	following := url.Values{"limit": {strconv.FormatInt(limit, 10)}, "after": {strconv.FormatInt(found[limit-1].Seq, 10)}}
	if query.Lookup != "" {
		following.Set(parameter, query.Lookup)
	}
	next := path + "?" + following.Encode()
	return Page{Documents: found, Next: &next}, nil
}

func number(values url.Values, name string, otherwise, least, most int64) (int64, error) {
	text := values.Get(name)
	if text == "" {
		return otherwise, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < least || n > most {
		return 0, Invalid(Field{Pointer: "?" + name, Detail: fmt.Sprintf("expected a number from %d to %d", least, most)})
	}
	return n, nil
}
