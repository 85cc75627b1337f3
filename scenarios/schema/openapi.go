package schema

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// LoadOpenAPI reads the body of the operation with a method and path from an OpenAPI 3.0 or 3.1 file. The path is that of a
// request: what is filled in on either side (in braces) fits anything, a query does not count, and the path of a server that
// the file names may stand in front.
func LoadOpenAPI(file, method, path string) (*Schema, error) {
	loader := openapi3.NewLoader()
	loader.IsExternalRefsAllowed = true
	loader.ReadFromURIFunc = func(_ *openapi3.Loader, at *url.URL) ([]byte, error) {
		if at.Scheme != "" && at.Scheme != "file" || at.Host != "" {
			return nil, fmt.Errorf("%s: only files are followed", at)
		}
		text, err := readFile(filepath.FromSlash(at.Path))
		if err == nil {
			_, err = parse(text)
		}
		return text, err
	}
	doc, err := loader.LoadFromFile(file)
	if err != nil {
		return nil, fmt.Errorf("no OpenAPI file: %s", firstLine(plain(err)))
	}
	if !doc.IsOpenAPI30() && !doc.IsOpenAPI31OrLater() {
		return nil, fmt.Errorf("openapi: found %q, expected 3.0 or 3.1", doc.OpenAPI)
	}
	doc.InternalizeRefs(context.Background(), nil)
	pattern, err := find(doc, method, path)
	if err != nil {
		return nil, err
	}
	body := doc.Paths.Value(pattern).GetOperation(strings.ToUpper(method)).RequestBody
	if body == nil || body.Value == nil {
		return nil, fmt.Errorf("%s %s has no requestBody", method, pattern)
	}
	media := ""
	for _, name := range slices.Sorted(maps.Keys(body.Value.Content)) {
		kind, _, _ := strings.Cut(strings.ToLower(name), ";")
		if content := body.Value.Content[name]; content != nil && content.Schema != nil && (kind == "application/json" || strings.HasSuffix(kind, "+json")) {
			media = name
			break
		}
	}
	if media == "" {
		return nil, fmt.Errorf("%s %s takes no JSON", method, pattern)
	}
	text, err := json.Marshal(doc)
	if err != nil {
		return nil, fmt.Errorf("no OpenAPI file: %w", err)
	}
	plainDoc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	at := []string{"paths", pattern, strings.ToLower(method), "requestBody"}
	if body.Ref != "" { // to #/components/requestBodies/NAME
		at = strings.Split(strings.TrimPrefix(body.Ref, "#/"), "/")
	}
	at = append(at, "content", media, "schema")
	if doc.IsOpenAPI30() {
		modernise(plainDoc)
	}
	requests(plainDoc)
	return compile(file, plainDoc, "/"+strings.Join(escaped(at), "/"))
}

func escaped(tokens []string) []string {
	out := make([]string, len(tokens))
	for i, t := range tokens {
		out[i] = url.PathEscape(strings.NewReplacer("~", "~0", "/", "~1").Replace(t))
	}
	return out
}

// find is the path template that a request's path means.
func find(doc *openapi3.T, method, path string) (string, error) {
	path, _, _ = strings.Cut(path, "?")
	paths := []string{path}
	for _, server := range doc.Servers {
		if u, err := url.Parse(server.URL); err == nil {
			if rest, ok := strings.CutPrefix(path, strings.TrimSuffix(u.Path, "/")); ok && u.Path != "" && rest != "" {
				paths = append(paths, rest)
			}
		}
	}
	best, most := "", -1
	for _, pattern := range slices.Sorted(maps.Keys(doc.Paths.Map())) {
		item := doc.Paths.Value(pattern)
		if item == nil || item.GetOperation(strings.ToUpper(method)) == nil {
			continue
		}
		for _, p := range paths {
			if fixed, ok := fits(pattern, p); ok && fixed > most { // the one with the fewest parameters
				best, most = pattern, fixed
			}
		}
	}
	if most < 0 {
		return "", fmt.Errorf("no operation %s %s", method, path)
	}
	return best, nil
}

// fits tells whether a path is one that a template means, and how many of its segments are no parameters.
func fits(pattern, path string) (fixed int, ok bool) {
	want, have := segments(pattern), segments(path)
	if len(want) != len(have) {
		return 0, false
	}
	for i := range want {
		switch {
		case want[i] == have[i]:
			fixed++
		case !strings.Contains(want[i], "{") && !strings.Contains(have[i], "{"):
			return 0, false
		}
	}
	return fixed, true
}

// segments splits a path; a slash inside of braces, as in {setup.account:/id}, splits nothing.
func segments(path string) (out []string) {
	depth, from := 0, 0
	for i, c := range path {
		switch {
		case c == '{':
			depth++
		case c == '}':
			depth--
		case c == '/' && depth == 0:
			out = append(out, path[from:i])
			from = i + 1
		}
	}
	return append(out, path[from:])
}

// modernise turns what OpenAPI 3.0 writes in its own way into JSON Schema.
func modernise(value any) {
	switch v := value.(type) {
	case map[string]any:
		if v["nullable"] == true {
			if kind, ok := v["type"].(string); ok {
				v["type"] = []any{kind, "null"}
			}
			if list, ok := v["enum"].([]any); ok && !slices.Contains(list, any(nil)) {
				v["enum"] = append(list, nil)
			}
		}
		for bound, exclusive := range map[string]string{"minimum": "exclusiveMinimum", "maximum": "exclusiveMaximum"} {
			switch v[exclusive] {
			case true:
				v[exclusive] = v[bound]
				delete(v, bound)
			case false:
				delete(v, exclusive)
			}
		}
		for _, below := range v {
			modernise(below)
		}
	case []any:
		for _, item := range v {
			modernise(item)
		}
	}
}
