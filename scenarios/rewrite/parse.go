package rewrite

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json/jsontext"
)

// Bounds of what Parse accepts; a body of a sample is far smaller.
const (
	MaxBytes = 1 << 20
	MaxDepth = 256
)

// ParseError says where a text stops being one JSON value.
type ParseError struct {
	Offset int64 // bytes from the beginning
	Err    error
}

func (e *ParseError) Error() string { return fmt.Sprintf("JSON at byte %d: %v", e.Offset, e.Err) }

func (e *ParseError) Unwrap() error { return e.Err }

var (
	errTooLarge = fmt.Errorf("longer than %d bytes", MaxBytes)
	errTooDeep  = fmt.Errorf("nested deeper than %d levels", MaxDepth)
	errMore     = errors.New("expected nothing after the value")
)

// Parse reads exactly one JSON value. It keeps members that repeat a name, lone surrogates and strings that are no UTF-8,
// since requests may hold them; white space is dropped. Every error is a *ParseError.
func Parse(text []byte) (*Node, error) {
	if len(text) > MaxBytes {
		return nil, &ParseError{MaxBytes, errTooLarge}
	}
	p := parser{jsontext.NewDecoder(bytes.NewBuffer(text), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))}
	root, err := p.value(1)
	if err == nil {
		switch _, more := p.ReadToken(); {
		case more == nil:
			err = errMore
		case !errors.Is(more, io.EOF):
			err = more
		}
	}
	if err == nil {
		return root, nil
	}
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	at := p.InputOffset()
	if syntax := (*jsontext.SyntacticError)(nil); errors.As(err, &syntax) {
		at, err = syntax.ByteOffset, syntax.Err
	}
	return nil, &ParseError{at, err}
}

// kinds of scalars, by the byte that jsontext names them with.
var kinds = [128]Kind{'n': Null, 't': Bool, 'f': Bool, '0': Number, '"': String}

type parser struct{ *jsontext.Decoder }

func (p parser) value(depth int) (*Node, error) {
	if depth > MaxDepth {
		return nil, errTooDeep
	}
	switch kind := p.PeekKind(); kind {
	case '{':
		return p.object(depth)
	case '[':
		return p.array(depth)
	default:
		literal, err := p.ReadValue()
		if err != nil {
			return nil, err
		}
		return &Node{Kind: kinds[kind], Text: string(literal)}, nil
	}
}

func (p parser) object(depth int) (*Node, error) {
	if _, err := p.ReadToken(); err != nil {
		return nil, err
	}
	n := &Node{Kind: Object}
	for p.PeekKind() != '}' {
		name, err := p.ReadValue()
		if err != nil {
			return nil, err
		}
		m := Member{Name: string(name)} // copied before the next read overwrites it
		if m.Value, err = p.value(depth + 1); err != nil {
			return nil, err
		}
		n.Members = append(n.Members, m)
	}
	_, err := p.ReadToken()
	return n, err
}

func (p parser) array(depth int) (*Node, error) {
	if _, err := p.ReadToken(); err != nil {
		return nil, err
	}
	n := &Node{Kind: Array}
	for p.PeekKind() != ']' {
		item, err := p.value(depth + 1)
		if err != nil {
			return nil, err
		}
		n.Items = append(n.Items, item)
	}
	_, err := p.ReadToken()
	return n, err
}
