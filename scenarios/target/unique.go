package target

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"
)

// A marker is the same length everywhere, so that none is part of another. It begins with the tag of the run.
const (
	markerLetters = "0123456789abcdefghjkmnpqrstvwxyz"
	markerLength  = 16
	tagLength     = 5
	// markerDigits keeps a number below 2^53, where even a target that reads floats keeps it apart from its neighbours.
	markerDigits = 15
)

var (
	plainUUID  = regexp.MustCompile(`^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`)
	plainEmail = regexp.MustCompile(`^[^@\s]+@[^@\s]+$`)
	digits     = regexp.MustCompile(`^[0-9]+$`)
)

// makeUnique gives the leaf at a JSON Pointer a value that no other request has, of the kind that it had, and returns the
// marker to find it by. All else keeps its spelling.
func makeUnique(body []byte, pointer, tag string) (changed []byte, marker string, err error) {
	start, end, err := locate(body, pointer)
	if err != nil {
		return nil, "", err
	}
	literal := body[start:end]
	var value []byte
	switch {
	case literal[0] == '"':
		var text string
		if err := json.Unmarshal(literal, &text); err != nil {
			return nil, "", fmt.Errorf("unique %s: %w", pointer, err)
		}
		if text, marker, err = uniqueText(text, tag); err == nil {
			value, err = json.Marshal(text)
		}
	case literal[0] == '-' || '0' <= literal[0] && literal[0] <= '9':
		marker, err = randomText(markerDigits, "0123456789")
		marker = "1" + marker[1:]
		value = []byte(marker)
	default:
		err = fmt.Errorf("unique %s: expected a text or a number, found %s", pointer, literal)
	}
	if err != nil {
		return nil, "", err
	}
	return bytes.Join([][]byte{body[:start], value, body[end:]}, nil), marker, nil
}

// uniqueText keeps the form of what a validator may look at: UUIDs, e-mail addresses, digits.
func uniqueText(text, tag string) (unique, marker string, err error) {
	if plainUUID.MatchString(text) {
		id, err := uuid.NewRandom()
		return id.String(), id.String(), err
	}
	if digits.MatchString(text) {
		marker, err = randomText(max(markerDigits, len(text)), "0123456789")
		marker = "1" + marker[1:]
		return marker, marker, err
	}
	if marker, err = randomText(markerLength-len(tag), markerLetters); err != nil {
		return "", "", err
	}
	marker = tag + marker
	if plainEmail.MatchString(text) {
		at := strings.LastIndexByte(text, '@')
		return text[:at] + "." + marker + text[at:], marker, nil
	}
	if text == "" {
		return marker, marker, nil
	}
	return text + "-" + marker, marker, nil
}

func randomText(length int, letters string) (string, error) {
	text := make([]byte, length)
	if _, err := rand.Read(text); err != nil {
		return "", fmt.Errorf("random source: %w", err)
	}
	for i, b := range text {
		text[i] = letters[int(b)%len(letters)]
	}
	return string(text), nil
}

// locate finds the literal at a JSON Pointer.
func locate(body []byte, pointer string) (start, end int64, err error) {
	d := jsontext.NewDecoder(bytes.NewBuffer(body), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	for {
		kind := d.PeekKind()
		if kind == '{' || kind == '[' || kind == '}' || kind == ']' {
			if _, err := d.ReadToken(); err != nil {
				return 0, 0, fmt.Errorf("unique %s: the request body is not JSON: %w", pointer, err)
			}
			if string(d.StackPointer()) == pointer && (kind == '{' || kind == '[') {
				return 0, 0, fmt.Errorf("unique %s: expected a text or a number, found an object or array", pointer)
			}
			continue
		}
		above, _ := d.StackIndex(d.StackDepth())
		_, length := d.StackIndex(d.StackDepth())
		name := above == '{' && length%2 == 0
		literal, err := d.ReadValue()
		switch {
		case errors.Is(err, io.EOF):
			return 0, 0, fmt.Errorf("unique %s: names nothing in the request body", pointer)
		case err != nil:
			return 0, 0, fmt.Errorf("unique %s: the request body is not JSON: %w", pointer, err)
		case name || string(d.StackPointer()) != pointer:
			continue
		}
		return d.InputOffset() - int64(len(literal)), d.InputOffset(), nil
	}
}
