package provider

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// find returns the downstream key of a call, or "" if it has none. A key written as a structured-field string ("abc") and its
// bare spelling (abc) are the same key.
func (k KeyAt) find(header http.Header, query url.Values, body []byte) string {
	switch {
	case k.Body != "":
		return scalar(at(body, k.Body))
	case k.Query != "":
		return query.Get(k.Query)
	default:
		return unquote(strings.TrimSpace(header.Get(k.Header)))
	}
}

func unquote(key string) string {
	if len(key) >= 2 && key[0] == '"' && key[len(key)-1] == '"' && !strings.ContainsAny(key[1:len(key)-1], `"\`) {
		return key[1 : len(key)-1]
	}
	return key
}

// at returns the value that a JSON Pointer names, as it is written in the document; nil if there is none.
func at(document []byte, pointer string) json.RawMessage {
	value := json.RawMessage(bytes.TrimSpace(document))
	if pointer == "" {
		return value
	}
	if !strings.HasPrefix(pointer, "/") || !json.Valid(document) {
		return nil
	}
	for token := range strings.SplitSeq(pointer[1:], "/") {
		token = strings.NewReplacer("~1", "/", "~0", "~").Replace(token)
		switch value[0] {
		case '{':
			var members map[string]json.RawMessage
			if json.Unmarshal(value, &members) != nil {
				return nil
			}
			value = members[token]
		case '[':
			var items []json.RawMessage
			index, err := strconv.Atoi(token)
			if err != nil || strconv.Itoa(index) != token || json.Unmarshal(value, &items) != nil || index < 0 || index >= len(items) {
				return nil
			}
			value = items[index]
		default:
			return nil
		}
		if value == nil {
			return nil
		}
	}
	return value
}

// scalar is a string's content or a number's spelling; anything else cannot be a key and is "".
func scalar(value json.RawMessage) string {
	if len(value) == 0 {
		return ""
	}
	switch c := value[0]; {
	case c == '"':
		var s string
		if json.Unmarshal(value, &s) != nil {
			return ""
		}
		return s
	case c == '-' || c >= '0' && c <= '9':
		return string(value)
	}
	return ""
}
