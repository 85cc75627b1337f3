package jsonfile

import (
	"errors"
	"fmt"
	"io"
	"reflect"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	jsonv1 "github.com/go-json-experiment/json/v1"
)

// Error says what is wrong, and where.
type Error struct {
	File    string
	Line    int
	Column  int    // in bytes, from 1
	Pointer string // to the value; empty: the whole document
	Detail  string
}

func (e *Error) Error() string {
	at := fmt.Sprintf("%s:%d:%d", e.File, e.Line, e.Column)
	if e.Pointer != "" {
		at += ": " + e.Pointer
	}
	return at + ": " + e.Detail
}

// Decode reads one JSON value. The schema that the document names is looked at first: of another version nothing else needs to
// be understood. What the value does not know is refused, and so are a name that comes twice and text after the value.
func Decode(file string, data []byte, schema string, into any) error {
	if found, ok := schemaOf(data); ok && found != schema {
		return (&Error{file, 1, 1, "", fmt.Sprintf("schema is %q, this version reads %q", found, schema)}).placed(data, "/schema")
	}
	err := json.Unmarshal(data, into, jsonv1.DefaultOptionsV1(), jsonv1.ReportErrorsWithLegacySemantics(false),
		json.RejectUnknownMembers(true), jsontext.AllowDuplicateNames(false),
		json.MatchCaseInsensitiveNames(false))
	if err == nil {
		if _, ok := schemaOf(data); !ok {
			return &Error{file, 1, 1, "", fmt.Sprintf("names no schema, this version reads %q", schema)}
		}
		return nil
	}
	return explain(file, data, err)
}

// At is an error at a value of the document, for what is wrong with it though it could be read.
func At(file string, data []byte, pointer, format string, args ...any) error {
	return (&Error{file, 1, 1, pointer, fmt.Sprintf(format, args...)}).placed(data, pointer)
}

func (e *Error) placed(data []byte, pointer string) error {
	e.Line, e.Column = place(data, offsetOf(data, pointer))
	return e
}

// Misfit is a value that can be read and is wrong all the same: no run can have written it, or nobody could act on it.
type Misfit struct{ Pointer, Detail string }

func (m *Misfit) Error() string { return m.Pointer + ": " + m.Detail }

// Misfitf makes a *Misfit.
func Misfitf(pointer, format string, args ...any) error {
	return &Misfit{pointer, fmt.Sprintf(format, args...)}
}

// schemaOf reads the schema that a document names. It need not be whole for that.
func schemaOf(data []byte) (schema string, ok bool) {
	d := jsontext.NewDecoder(strings.NewReader(string(data)), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if token, err := d.ReadToken(); err != nil || token.Kind() != '{' {
		return "", false
	}
	for d.PeekKind() == '"' {
		name, err := d.ReadToken()
		if err != nil {
			return "", false
		}
		if name.String() != "schema" {
			if d.SkipValue() != nil {
				return "", false
			}
			continue
		}
		value, err := d.ReadToken()
		if err != nil || value.Kind() != '"' {
			return "", false
		}
		return value.String(), true
	}
	return "", false
}

// explain puts what the decoder says into words, with its place.
func explain(file string, data []byte, err error) error {
	e := &Error{File: file}
	var syntax *jsontext.SyntacticError
	var meaning *json.SemanticError
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		e.Line, e.Column = place(data, int64(len(data)))
		e.Detail = "the file ends before its JSON does; is it whole?"
		if len(data) == 0 {
			e.Detail = "the file is empty"
		}
	case errors.As(err, &syntax):
		e.Line, e.Column = place(data, syntax.ByteOffset)
		e.Pointer, e.Detail = string(syntax.JSONPointer), "no valid JSON: "+syntax.Err.Error()
	case errors.As(err, &meaning):
		e.Pointer = string(meaning.JSONPointer)
		e.Line, e.Column = place(data, max(meaning.ByteOffset, offsetOf(data, e.Pointer)))
		switch {
		case errors.Is(meaning.Err, json.ErrUnknownName):
			e.Detail = "this version knows no such field"
		case meaning.GoType != nil && meaning.JSONKind != 0:
			e.Detail = fmt.Sprintf("found %s, expected %s", foundIn(meaning), typeName(meaning.GoType))
			if meaning.Err != nil && !errors.Is(meaning.Err, strconv.ErrSyntax) && !errors.Is(meaning.Err, strconv.ErrRange) {
				e.Detail += ": " + meaning.Err.Error()
			}
		default:
			e.Detail = err.Error()
		}
	default:
		e.Line, e.Column, e.Detail = 1, 1, err.Error()
	}
	return e
}

// longestFound is up to which length a value is quoted instead of what kind it is of.
const longestFound = 40

func foundIn(e *json.SemanticError) string {
	if v := e.JSONValue; e.JSONKind == '0' && 0 < len(v) && len(v) <= longestFound {
		return string(v)
	}
	return kindName(e.JSONKind)
}

// typeName is what JSON has for a Go type.
func typeName(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Pointer:
		return typeName(t.Elem())
	case reflect.Bool:
		return kindName('t')
	case reflect.String:
		return kindName('"')
	case reflect.Slice, reflect.Array:
		return kindName('[')
	case reflect.Struct, reflect.Map:
		return kindName('{')
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return "a whole number of 0 or more"
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return "a whole number"
	case reflect.Float32, reflect.Float64:
		return kindName('0')
	}
	return "something else"
}

func kindName(k jsontext.Kind) string {
	switch k {
	case 'n':
		return "null"
	case 't', 'f':
		return "a boolean"
	case '"':
		return "a string"
	case '0':
		return "a number"
	case '{', '}':
		return "an object"
	case '[', ']':
		return "an array"
	}
	return k.String()
}

// offsetOf finds where the value at a pointer begins; 0 where there is none.
func offsetOf(data []byte, pointer string) int64 {
	d := jsontext.NewDecoder(strings.NewReader(string(data)), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	for {
		kind := d.PeekKind()
		at := d.InputOffset()
		if _, err := d.ReadToken(); err != nil {
			return 0
		}
		named := kind == '"' && isName(d)
		if !named && kind != '}' && kind != ']' && string(d.StackPointer()) == pointer {
			for at < int64(len(data)) && strings.IndexByte(" \t\r\n,:", data[at]) >= 0 {
				at++
			}
			return at
		}
	}
}

// isName tells whether the token just read is an object's member name.
func isName(d *jsontext.Decoder) bool {
	kind, length := d.StackIndex(d.StackDepth())
	return kind == '{' && length%2 == 1
}

// place turns a byte offset into line and column.
func place(data []byte, offset int64) (line, column int) {
	head := string(data[:min(max(int(offset), 0), len(data))])
	return 1 + strings.Count(head, "\n"), len(head) - strings.LastIndexByte(head, '\n')
}
