package fingerprint

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/text/unicode/norm"
)

// Options says what does not count. The zero value leaves nothing out.
type Options struct {
	Fields       []string // JSON Pointers: nothing else counts; empty: everything does
	Exclude      []string // JSON Pointers to values that do not count; one that points nowhere has no effect
	Sets         []string // JSON Pointers to arrays whose order does not count; their items still count as often as they occur
	NullIsAbsent bool     // a member that is null counts as one that is not there, at every depth
	NFC          bool     // names and strings count in Unicode normalisation form C
}

// Canonical returns the canonical form of a JSON body. Its error is an *Error.
func Canonical(body []byte) ([]byte, error) { return Options{}.Canonical(body) }

// Canonical returns the canonical form of what counts in a JSON body. Pointers name places in the body as it was sent; of an
// array item that does not count the place still does. Its error is an *Error.
func (o Options) Canonical(body []byte) ([]byte, error) {
	root, err := parse(body, o)
	if err != nil {
		return nil, err
	}
	for _, pointer := range o.Sets {
		if n, _, _ := root.at(o.pointer(pointer)); n != nil {
			n.set = true
		}
	}
	if len(o.Fields) > 0 {
		var kept [][]string
		for _, pointer := range o.Fields {
			kept = append(kept, slices.Collect(o.pointer(pointer).Tokens()))
		}
		if !root.keep(kept) {
			*root = node{kind: '{'}
		}
	}
	for _, pointer := range o.Exclude {
		root.exclude(o.pointer(pointer))
	}
	return root.append(make([]byte, 0, len(body))), nil
}

func (o Options) pointer(text string) jsontext.Pointer {
	if o.NFC {
		text = norm.NFC.String(text)
	}
	return jsontext.Pointer(text)
}

// Digest returns the SHA-256 of a canonical form, in 64 hexadecimal digits. It is what a server that hashes RFC 8785's form
// stores for a body alone, as long as no number is beyond float64; Of covers the whole request.
func Digest(canonical []byte) string {
	sum := sha256.Sum256(canonical)
	return hex.EncodeToString(sum[:])
}
