package run

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/storm"
)

// TestEveryFieldIsRefusedAtItsPlace: whatever field of a stored file was edited into something else, the error names file, line,
// column and field. The files have every field that there is, so that a new one is tried too.
func TestEveryFieldIsRefusedAtItsPlace(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		schema string
		of     any
		read   func(path string) error
	}{
		"schedule.json": {storm.Schema, storm.Schedule{}, func(path string) error { _, err := ReadSchedule(path); return err }},
		"plan.json":     {PlanSchema, Plan{}, func(path string) error { _, err := readPlan(path); return err }},
		"history.json":  {history.Schema, history.History{}, func(path string) error { _, err := readHistory(path); return err }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			whole := reflect.New(reflect.TypeOf(c.of)).Elem()
			fill(whole, 0)
			whole.FieldByName("Schema").SetString(c.schema)
			text, err := json.MarshalIndent(whole.Interface(), "", " ")
			if err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(t.TempDir(), name)
			refused := func(what, text, want string) {
				t.Helper()
				put(t, path, text)
				if err := c.read(path); err == nil || !strings.HasPrefix(err.Error(), path+":"+want) {
					t.Errorf("%s: the error is %v, want one at %s", what, err, want)
				}
			}
			members := membersOf(t, text)
			if len(members) < 10 {
				t.Fatalf("only %d fields were found in\n%s", len(members), text)
			}
			for _, m := range members {
				before, value, after := string(text[:m.from]), string(text[m.from:m.to]), string(text[m.to:])
				at := fmt.Sprintf("%d:", 1+strings.Count(before, "\n"))
				refused(m.pointer+" of another kind", before+another(value)+after, at)
				put(t, path, before+another(value)+after)
				if err := c.read(path); m.pointer != "/schema" && !strings.Contains(err.Error(), ": "+m.pointer) {
					t.Errorf("%s of another kind: the error is %v, and does not name it", m.pointer, err)
				}
				if m.key == 0 || strings.HasSuffix(m.pointer, "/x") || m.pointer == "/schema" {
					continue // an element, or a map's: it may be called anything
				}
				put(t, path, string(text[:m.key])+"Zz"+string(text[m.key:]))
				if err := c.read(path); err == nil || !strings.Contains(err.Error(), "no such field") {
					t.Errorf("%s spelt otherwise: the error is %v", m.pointer, err)
				}
			}
			for end := range text {
				if end == 0 || text[end] == '\n' {
					refused(fmt.Sprintf("the first %d bytes", end), string(text[:end]), "")
				}
			}
		})
	}
}

// another is a value of a kind that the one there is not.
func another(value string) string {
	switch value[0] {
	case '{', '[':
		return `"x"`
	case '"':
		return `{"x":1}`
	}
	return `"1"`
}

// fill gives every field a value, lists and maps an element.
func fill(v reflect.Value, depth int) {
	switch v.Kind() {
	case reflect.String:
		v.SetString("x")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64, reflect.Int32:
		v.SetInt(1)
	case reflect.Uint64, reflect.Uint32, reflect.Uint:
		v.SetUint(1)
	case reflect.Float64:
		v.SetFloat(0.5)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), depth+1)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0), depth+1)
	case reflect.Array:
		for i := range v.Len() {
			fill(v.Index(i), depth+1)
		}
	case reflect.Map:
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fill(key, depth+1)
		fill(value, depth+1)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, value)
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				fill(v.Field(i), depth+1)
			}
		}
	default:
		panic("a stored file holds a " + v.Kind().String())
	}
}

// member is a value inside a document, and where it stands.
type member struct {
	pointer  string
	from, to int
	key      int // where its name begins, after the quote; 0: it has none, or may have any
}

func membersOf(t *testing.T, text []byte) (list []member) {
	t.Helper()
	d := jsontext.NewDecoder(strings.NewReader(string(text)))
	open := map[int]int{} // by depth: where in the list the object or array is
	key := 0
	for {
		kind := d.PeekKind()
		_, length := d.StackIndex(d.StackDepth())
		above, _ := d.StackIndex(d.StackDepth())
		name := above == '{' && length%2 == 0 && kind == '"'
		if kind == 0 {
			return list
		}
		token, err := d.ReadToken()
		if err != nil {
			t.Fatal(err)
		}
		end := int(d.InputOffset())
		switch {
		case name:
			key = end - len(token.String()) - 1
		case kind == '}' || kind == ']':
			if at, known := open[d.StackDepth()]; known {
				list[at].to = end
				delete(open, d.StackDepth())
			}
		default:
			from := end - len(token.String())
			if kind == '"' {
				from -= 2
			}
			if kind == '{' || kind == '[' {
				from = end - 1
				if pointer := string(d.StackPointer()); pointer != "" {
					open[d.StackDepth()-1] = len(list)
				}
			}
			if pointer := string(d.StackPointer()); pointer != "" {
				list = append(list, member{pointer: pointer, from: from, to: end, key: key})
			}
			key = 0
		}
	}
}
