package contract

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/dunglas/httpsfv"
	"github.com/google/uuid"
)

// What DecodeKey wraps.
var (
	ErrKeyMissing   = errors.New("the request has no key")
	ErrKeyMalformed = errors.New("the key is malformed")
	ErrKeySentTwice = errors.New("the request has more than one key field")
)

const uuidLength = 36

// Encode is how a key is written into the header field: a structured-field string (RFC 9651) where that is declared, bare
// otherwise. A key that no such string can hold is left bare too, so that it can be sent as the malformed one it is.
func (c Contract) Encode(key string) string {
	if c.Key.Encoding == EncodingStructured || c.Key.Encoding == EncodingBoth {
		if quoted, err := Quote(key); err == nil {
			return quoted
		}
	}
	return key
}

// Quote writes a key as a structured-field string. It fails for anything but printable ASCII.
func Quote(key string) (string, error) {
	quoted, err := httpsfv.Marshal(httpsfv.NewItem(key))
	if err != nil {
		return "", fmt.Errorf("key as a structured-field string: expected printable ASCII, found %q: %w", key, err)
	}
	return quoted, nil
}

// DecodeKey reads the key from all field lines of a request that carry the contract's header name, in order. Errors wrap
// ErrKeyMissing, ErrKeySentTwice or ErrKeyMalformed. Under an unspecified encoding a quoted and a bare key are one key, as
// under "both". Letter case is kept, also of a UUID.
func (c Contract) DecodeKey(fieldValues []string) (string, error) {
	switch len(fieldValues) {
	case 0:
		return "", fmt.Errorf("%w: expected the header field %s", ErrKeyMissing, c.Name)
	case 1:
	default:
		return "", fmt.Errorf("%w: expected one field %s, found %d", ErrKeySentTwice, c.Name, len(fieldValues))
	}
	key := strings.Trim(fieldValues[0], " \t")
	if c.Key.Encoding == EncodingStructured || c.Key.Encoding != EncodingOpaque && strings.HasPrefix(key, `"`) {
		item, err := httpsfv.UnmarshalItem([]string{key})
		if err != nil {
			return "", fmt.Errorf("%w: expected a structured-field string such as \"8e03978e-40d5\" with its quotation marks: %w", ErrKeyMalformed, err)
		}
		text, ok := item.Value.(string)
		if !ok {
			return "", fmt.Errorf("%w: expected a structured-field string in quotation marks, found another kind of item", ErrKeyMalformed)
		}
		key = text
	}
	if err := c.Key.Check(key); err != nil {
		return "", err
	}
	return key, nil
}

// Check reports whether a decoded key is one that the declared syntax accepts: printable ASCII, not empty, within the
// lengths, of the format. Its error wraps ErrKeyMalformed.
func (k Key) Check(key string) error {
	for _, b := range []byte(key) {
		if b < 0x20 || b > 0x7e {
			return fmt.Errorf("%w: expected printable ASCII, found the byte 0x%02x", ErrKeyMalformed, b)
		}
	}
	length := utf8.RuneCountInString(key)
	switch {
	case length == 0:
		return fmt.Errorf("%w: it is empty", ErrKeyMalformed)
	case length < k.Min:
		return fmt.Errorf("%w: expected at least %d characters, found %d", ErrKeyMalformed, k.Min, length)
	case k.Max > 0 && length > k.Max:
		return fmt.Errorf("%w: expected at most %d characters, found %d", ErrKeyMalformed, k.Max, length)
	}
	switch k.Format {
	case FormatUUID, FormatUUID4:
		id, err := uuid.Parse(key)
		if err != nil || length != uuidLength {
			return fmt.Errorf("%w: expected a UUID of 36 characters", ErrKeyMalformed)
		}
		if k.Format == FormatUUID4 && (id.Version() != 4 || id.Variant() != uuid.RFC4122) {
			return fmt.Errorf("%w: expected a version-4 UUID, found version %d", ErrKeyMalformed, id.Version())
		}
	case FormatPattern:
		whole, err := k.expression()
		if err != nil {
			return err
		}
		if !whole.MatchString(key) {
			return fmt.Errorf("%w: expected it to match %s", ErrKeyMalformed, k.Pattern)
		}
	}
	return nil
}

// FoldsCase reports whether keys that differ in letter case only are one key by the nature of their format.
func (k Key) FoldsCase() bool { return k.Format == FormatUUID || k.Format == FormatUUID4 }

// expression is the pattern anchored at both ends: it describes the whole key.
func (k Key) expression() (*regexp.Regexp, error) {
	whole, err := regexp.Compile(`\A(?:` + k.Pattern + `)\z`)
	if err != nil {
		return nil, fmt.Errorf("key.pattern: %w", err)
	}
	return whole, nil
}
