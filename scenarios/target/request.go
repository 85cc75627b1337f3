package target

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/oncespec/oncespec/scenarios/rewrite"
	"github.com/oncespec/oncespec/scenarios/target/config"
	"github.com/oncespec/oncespec/scenarios/target/template"
)

// agent names the harness to the target.
const agent = "oncespec"

// form is a request of the configuration, parsed once.
type form struct {
	method  string
	path    *template.Template
	headers []formField
	json    *template.JSON     // a JSON body, written without white space
	text    *template.Template // any other body, or JSON whose spelling is kept
	isJSON  bool
}

type formField struct {
	name  string
	value *template.Template
}

func newForm(r config.Request) (*form, error) {
	f := &form{method: r.Method}
	var err error
	if f.path, err = template.ParseURL(r.Path); err != nil {
		return nil, fmt.Errorf("path %s: %w", r.Path, err)
	}
	for _, name := range slices.Sorted(maps.Keys(r.Headers)) {
		value, err := template.Parse(r.Headers[name])
		if err != nil {
			return nil, fmt.Errorf("header %s: %w", name, err)
		}
		f.headers = append(f.headers, formField{name, value})
	}
	return f, f.readBody(r)
}

func (f *form) readBody(r config.Request) (err error) {
	switch {
	case len(r.Body) > 0:
		f.json, err = template.ParseJSON(r.Body)
		f.isJSON = true
	case r.BodyText != "":
		f.text, err = template.Parse(r.BodyText)
		_, notJSON := rewrite.Parse([]byte(r.BodyText))
		f.isJSON = notJSON == nil
	}
	if err != nil {
		return fmt.Errorf("body: %w", err)
	}
	return nil
}

// fill writes the request; credentials and key are added by the caller.
func (f *form) fill(v template.Vars) (rewrite.Request, error) {
	r := rewrite.Request{Method: f.method}
	switch {
	case f.json != nil:
		body, err := f.json.Expand(v)
		if err != nil {
			return r, fmt.Errorf("body: %w", err)
		}
		r.Body = body
	case f.text != nil:
		text, err := f.text.Expand(v)
		if err != nil {
			return r, fmt.Errorf("body: %w", err)
		}
		r.Body = []byte(text)
	}
	return r, f.fillHead(&r, v)
}

// fillHead writes all but the body, which may be named in it.
func (f *form) fillHead(r *rewrite.Request, v template.Vars) error {
	if v.Body == nil { // a probe and an alter request name the intent's body, not their own
		v.Body = r.Body
	}
	path, err := f.path.Expand(v)
	if err != nil {
		return fmt.Errorf("path: %w", err)
	}
	r.Path, r.RawQuery, r.BareMark = path, "", false
	if before, query, found := strings.Cut(path, "?"); found {
		r.Path, r.RawQuery, r.BareMark = before, query, query == ""
	}
	r.Header = nil
	for _, h := range f.headers {
		value, err := h.value.Expand(v)
		if err != nil {
			return fmt.Errorf("header %s: %w", h.name, err)
		}
		r.Header = append(r.Header, rewrite.Field{Name: h.name, Value: value})
	}
	if _, typed := r.Get("Content-Type"); !typed && r.Body != nil {
		media := "text/plain; charset=utf-8"
		if f.isJSON {
			media = "application/json"
		}
		r.Header = append(r.Header, rewrite.Field{Name: "Content-Type", Value: media})
	}
	if _, named := r.Get("User-Agent"); !named {
		r.Header = append(r.Header, rewrite.Field{Name: "User-Agent", Value: agent})
	}
	return nil
}

// needs lists the placeholders of all parts.
func (f *form) needs() []template.Placeholder {
	all := f.path.Placeholders()
	for _, h := range f.headers {
		all = append(all, h.value.Placeholders()...)
	}
	if f.json != nil {
		all = append(all, f.json.Placeholders()...)
	}
	if f.text != nil {
		all = append(all, f.text.Placeholders()...)
	}
	return all
}

// credential adds the tenant's headers.
func credential(r *rewrite.Request, tenant *config.Tenant, kind Credentials) {
	if tenant == nil || kind == NoCreds {
		return
	}
	headers := maps.Clone(tenant.Headers)
	if kind == Renewed {
		for name := range tenant.Renewed {
			maps.DeleteFunc(headers, func(old, _ string) bool { return strings.EqualFold(old, name) })
		}
		if headers == nil {
			headers = map[string]string{}
		}
		maps.Copy(headers, tenant.Renewed)
	}
	for _, name := range slices.Sorted(maps.Keys(headers)) {
		r.Set(name, headers[name])
	}
}
