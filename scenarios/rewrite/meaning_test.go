package rewrite

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"encoding/json"
	"io"
	"math/big"
	"mime"
	"net/url"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"
)

// This file compares requests with the standard library's decoders and exact rationals. It shares no code with the package,
// so a mistake there does not hide itself.

// message is what a request means: decoded, and without what only tells of the attempt.
type message struct {
	Method, Path, Media string
	Query               map[string][]string
	Body                any
	Valid               bool // the body is one JSON value in UTF-8
}

func meaningOf(t *testing.T, r Request) message {
	t.Helper()
	segments := strings.Split(r.Path, "/") // an encoded slash parts none
	for i, s := range segments {
		var err error
		if segments[i], err = url.PathUnescape(s); err != nil {
			t.Fatalf("path %q: %v", r.Path, err)
		}
	}
	path := strings.Join(segments, "\x00")
	query, err := url.ParseQuery(r.RawQuery)
	if err != nil {
		t.Fatalf("query %q: %v", r.RawQuery, err)
	}
	out := message{Method: r.Method, Path: path, Query: query}
	for _, f := range r.Header {
		if strings.EqualFold(f.Name, "Content-Type") {
			out.Media, _, _ = mime.ParseMediaType(f.Value)
		}
	}
	out.Body, out.Valid = decode(plainBody(t, r))
	return out
}

var loneSurrogate = regexp.MustCompile(`\\ud800"`) // the one that the catalogue writes

func decode(body []byte) (value any, valid bool) {
	if !utf8.Valid(body) || loneSurrogate.Match(body) || !json.Valid(body) {
		return nil, false
	}
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	if err := d.Decode(&value); err != nil {
		return nil, false
	}
	return exact(value), true
}

// exact replaces number texts by reduced fractions.
func exact(value any) any {
	switch v := value.(type) {
	case json.Number:
		rat, ok := new(big.Rat).SetString(v.String())
		if !ok {
			panic("no number: " + v.String())
		}
		return "number " + rat.String()
	case string:
		return "string " + v
	case []any:
		for i := range v {
			v[i] = exact(v[i])
		}
	case map[string]any:
		for name := range v {
			v[name] = exact(v[name])
		}
	}
	return value
}

// plainBody undoes content coding and UTF-16.
func plainBody(t *testing.T, r Request) []byte {
	t.Helper()
	body := r.Body
	for _, f := range r.Header {
		if strings.EqualFold(f.Name, "Content-Encoding") {
			z, err := gzip.NewReader(bytes.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			if body, err = io.ReadAll(z); err != nil {
				t.Fatal(err)
			}
		}
	}
	if rest, ok := bytes.CutPrefix(body, []byte{0xFF, 0xFE}); ok {
		var units []uint16
		for ; len(rest) > 1; rest = rest[2:] {
			units = append(units, binary.LittleEndian.Uint16(rest))
		}
		body = []byte(string(utf16.Decode(units)))
	}
	return body
}

func same(a, b message) bool { return reflect.DeepEqual(a, b) }

// checkPair holds a pair to what its rewrite promises.
func checkPair(t *testing.T, r Rewrite, pair Pair, markers map[string]string) {
	t.Helper()
	fail := func(format string) {
		t.Helper()
		t.Errorf("%s at %+v: "+format+"\nA %s %v %q\nB %s %v %q", r.ID, pair.Site,
			pair.A.Target(), pair.A.Header, pair.A.Body, pair.B.Target(), pair.B.Header, pair.B.Body)
	}
	a, b := meaningOf(t, pair.A), meaningOf(t, pair.B)
	if !a.Valid && len(pair.A.Body) > 0 {
		fail("A is no valid JSON")
	}
	if pair.A.Equal(pair.B) {
		fail("A and B are the same request")
	}
	switch r.Class {
	case Same, SameByPractice:
		if !same(a, b) {
			fail("the meaning changed")
		}
	case Different:
		if same(a, b) {
			fail("the meaning did not change")
		}
	}
	for pointer, value := range markers {
		if !holds(a.Body, pointer, "string "+value) || b.Valid && !holds(b.Body, pointer, "string "+value) {
			fail("the marker " + pointer + " changed")
		}
		if !b.Valid && !strings.Contains(string(plainBody(t, pair.B)), value) {
			fail("the marker " + pointer + " is gone")
		}
	}
}

// holds finds a marker at its pointer, or one level down where the whole body was wrapped.
func holds(value any, pointer, marker string) bool {
	if list, ok := value.([]any); ok && len(list) == 1 {
		value = list[0]
	}
	for token := range strings.SplitSeq(pointer[1:], "/") {
		switch v := value.(type) {
		case map[string]any:
			value = v[token]
		case []any:
			value = v[token[0]-'0']
		}
	}
	return value == marker
}
