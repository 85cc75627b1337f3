package fingerprint

import (
	"errors"
	"fmt"
	"strconv"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// Kind is why a body has no canonical form.
type Kind string

// The kinds.
const (
	Syntax        Kind = "syntax"
	DuplicateName Kind = "duplicate name"
	LoneSurrogate Kind = "lone surrogate"
	InvalidUTF8   Kind = "invalid UTF-8"
	TooDeep       Kind = "too deep"
	TrailingData  Kind = "trailing data"
	NumberRange   Kind = "number out of range"
)

// Error says what is wrong with a body, and where.
type Error struct {
	Kind   Kind
	Offset int64 // in bytes, from the beginning of the body
	Detail string
	err    error
}

func (e *Error) Error() string {
	return fmt.Sprintf("JSON body at byte %d: %s: %s", e.Offset, e.Kind, e.Detail)
}

// Unwrap gives the JSON library's error, if it was the one that complained.
func (e *Error) Unwrap() error { return e.err }

// explain turns an error of the JSON library into an Error.
func explain(body []byte, err error, at int64) *Error {
	e := &Error{Kind: Syntax, Offset: at, Detail: err.Error(), err: err}
	var syntax *jsontext.SyntacticError
	if !errors.As(err, &syntax) {
		return e
	}
	e.Offset, e.Detail = syntax.ByteOffset, syntax.Err.Error()
	rest := body[min(e.Offset, int64(len(body))):]
	switch {
	case errors.Is(err, jsontext.ErrDuplicateName):
		e.Kind, e.Detail = DuplicateName, "expected each name once in an object, found "+strconv.Quote(syntax.JSONPointer.LastToken())+" again"
	case loneSurrogate(rest):
		e.Kind, e.Detail = LoneSurrogate, "expected an escaped surrogate pair, found half of one"
	case len(rest) > 0 && !validStart(rest):
		e.Kind, e.Detail = InvalidUTF8, fmt.Sprintf("expected UTF-8, found the byte 0x%02x", rest[0])
	}
	return e
}

// loneSurrogate reports whether text begins with an escape of half a pair. The JSON library stops only at those that lack
// the other half, or at the end of the text.
func loneSurrogate(text []byte) bool {
	if len(text) < 6 || text[0] != '\\' || text[1] != 'u' {
		return false
	}
	unit, err := strconv.ParseUint(string(text[2:6]), 16, 16)
	return err == nil && 0xd800 <= unit && unit <= 0xdfff
}

func validStart(text []byte) bool {
	r, size := utf8.DecodeRune(text)
	return r != utf8.RuneError || size > 1
}
