package provider

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
)

var placeholder = regexp.MustCompile(`\{([a-z]+)(?::([^{}]*))?\}`)

func checkTemplate(template string, params map[string]bool) error {
	for _, m := range placeholder.FindAllStringSubmatch(template, -1) {
		switch name, argument := m[1], m[2]; {
		case m[0] == "{id}" || m[0] == "{key}":
		case name == "body" && strings.HasPrefix(argument, "/"):
		case name == "body":
			return fmt.Errorf("placeholder %s: want a JSON Pointer, for example {body:/amount}", m[0])
		case name == "path" && params[argument]:
		case name == "path":
			return fmt.Errorf("placeholder %s: the path has no segment {%s}", m[0], argument)
		default:
			return fmt.Errorf("placeholder %s is unknown; there are {id}, {key}, {body:/pointer} and {path:name}", m[0])
		}
	}
	return nil
}

// fields are what placeholders stand for.
type fields struct {
	id, key string
	body    []byte
	path    map[string]string
}

func (f fields) fill(template string, asJSON bool) string {
	return placeholder.ReplaceAllStringFunc(template, func(found string) string {
		m := placeholder.FindStringSubmatch(found)
		value := ""
		switch m[1] {
		case "id":
			value = f.id
		case "key":
			value = f.key
		case "path":
			value = f.path[m[2]]
		case "body":
			raw := at(f.body, m[2])
			if len(raw) > 0 && raw[0] != '"' {
				return string(raw) // numbers, objects and so on stand for themselves
			}
			value = scalar(raw)
		}
		if asJSON {
			quoted, _ := json.Marshal(value) // a string cannot fail
			value = string(quoted[1 : len(quoted)-1])
		}
		return value
	})
}
