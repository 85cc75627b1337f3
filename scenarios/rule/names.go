package rule

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/oncespec/oncespec/scenarios/history"
)

// Names tells whether an answer names the thing with the id: as a value in its JSON body, as a word of another body, or as
// a segment of its Location.
func Names(a *history.Answer, id string) bool {
	if a == nil || id == "" {
		return false
	}
	for _, value := range values(a) {
		if value == id {
			return true
		}
	}
	return false
}

// otherName finds where the first answer names the id and the second, which does not name it anywhere, has another value.
func otherName(first, second *history.Answer, id string) (place, found string) {
	if second == nil || Names(second, id) {
		return "", ""
	}
	in, out := values(first), values(second)
	for _, at := range slices.Sorted(maps.Keys(in)) {
		if other, ok := out[at]; in[at] == id && ok && other != "" {
			return at, other
		}
	}
	return "", ""
}

// values lists the scalars of an answer by place: JSON Pointers into the body, "Location" for its last segment.
func values(a *history.Answer) map[string]string {
	found := map[string]string{}
	for _, location := range a.Header["Location"] {
		path, _, _ := strings.Cut(location, "?")
		path = strings.TrimRight(path, "/")
		found["Location"] = path[strings.LastIndexByte(path, '/')+1:]
	}
	if body, ok := decode(a.Body); ok {
		scalars(body, "", found)
	} else if !a.Body.Truncated {
		found["the body"] = strings.TrimSpace(a.Body.Text)
	}
	return found
}

func scalars(v any, at string, found map[string]string) {
	switch v := v.(type) {
	case map[string]any:
		for name, member := range v {
			scalars(member, at+"/"+name, found)
		}
	case []any:
		for i, item := range v {
			scalars(item, at+"/"+strconv.Itoa(i), found)
		}
	case string:
		found[at] = v
	case json.Number:
		found[at] = v.String()
	}
}

// decode reads a whole JSON body, numbers as they are written.
func decode(b history.Body) (any, bool) {
	if b.Truncated || b.Text == "" {
		return nil, false
	}
	d := json.NewDecoder(strings.NewReader(b.Text))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil || d.More() {
		return nil, false
	}
	return v, true
}
