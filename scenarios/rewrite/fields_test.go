package rewrite

import (
	"bytes"
	"io"
	"mime"
	stdmultipart "mime/multipart"
	"net/url"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// meaning of a body made of fields, by the standard library's decoders.
func fieldsOf(t testing.TB, r Request) map[string][]string {
	t.Helper()
	out := map[string][]string{}
	media, parameters, err := mime.ParseMediaType(contentTypeOf(r))
	if err != nil {
		t.Fatal(err)
	}
	if media == "application/x-www-form-urlencoded" {
		values, err := url.ParseQuery(string(r.Body))
		if err != nil {
			t.Fatalf("%q: %v", r.Body, err)
		}
		return values
	}
	reader := stdmultipart.NewReader(bytes.NewReader(r.Body), parameters["boundary"])
	for {
		part, err := reader.NextRawPart()
		if err == io.EOF {
			return out
		}
		if err != nil {
			t.Fatalf("%q: %v", r.Body, err)
		}
		content, err := io.ReadAll(part)
		if err != nil {
			t.Fatal(err)
		}
		out[part.FormName()] = append(out[part.FormName()], part.FileName()+"|"+part.Header.Get("Content-Type")+"|"+string(content))
	}
}

func contentTypeOf(r Request) string {
	value, _ := r.Get("Content-Type")
	return value
}

func fieldSamples(t testing.TB) map[string]*Sample {
	form := Request{Method: "POST", Path: "/v1/pens", Header: []Field{{"Content-Type", "application/x-www-form-urlencoded"}},
		Body: []byte("to=a+b&n=1&tag=x&tag=y&name=caf%C3%A9")}
	parts := Request{Method: "POST", Path: "/v1/pens", Header: []Field{{"Content-Type", "multipart/form-data; boundary=b"}}, Body: []byte(uploaded)}
	lf := parts.Clone()
	lf.Body = bytes.ReplaceAll(lf.Body, []byte("\r\n"), []byte("\n"))
	return map[string]*Sample{
		"form, guessed":           mustSample(t, form, Policy{}),
		"form, declared":          mustSample(t, form, Policy{Vary: map[string]Vary{"/to": {Max: "5"}, "/n": {Type: TypeInteger, Min: "1"}, "/tag": {Enum: []any{"x", "y"}}}}),
		"multipart, guessed":      mustSample(t, parts, Policy{}),
		"multipart, declared":     mustSample(t, parts, Policy{Vary: map[string]Vary{"/pen": {Enum: []any{"ink", "gel"}}, "/f": {}}}),
		"multipart, LF, declared": mustSample(t, lf, Policy{Vary: map[string]Vary{"/pen": {Enum: []any{"ink", "gel"}}}}),
	}
}

func TestFieldRewritesKeepTheirPromise(t *testing.T) {
	t.Parallel()
	for name, s := range fieldSamples(t) {
		applied := 0
		for _, r := range Catalogue() {
			if r.Part != Body || !strings.HasPrefix(r.ID, "form/") && !strings.HasPrefix(r.ID, "multipart/") || r.ID == "form/to-json" {
				continue
			}
			for _, site := range r.Sites(s) {
				for choice := range 4 {
					pair, ok := r.Apply(s, site, choice)
					if !ok {
						t.Errorf("%s, %s at %+v: choice %d is not valid", name, r.ID, site, choice)
						continue
					}
					applied++
					same := reflect.DeepEqual(fieldsOf(t, pair.A), fieldsOf(t, pair.B))
					if want := r.Class != Different; same != want {
						t.Errorf("%s, %s at %+v: same meaning %v, want %v\nA %q\nB %q", name, r.ID, site, same, want, pair.A.Body, pair.B.Body)
					}
				}
			}
		}
		if applied < 16 {
			t.Errorf("%s: only %d pairs", name, applied)
		}
	}
}

func TestDrawnFieldsStayValid(t *testing.T) {
	for name, s := range fieldSamples(t) {
		usable := Usable(s, Catalogue())
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(rt *rapid.T) {
				trial, ok := drawTrial(rt, s, usable)
				pair, fits := s.Pair(trial)
				if !ok || !fits {
					rt.Fatalf("trial %+v does not fit", trial)
				}
				if strings.HasPrefix(trial.Rewrite, "multipart/") || strings.HasPrefix(trial.Rewrite, "form/") && trial.Rewrite != "form/to-json" {
					fieldsOf(t, pair.B)
				}
			})
		})
	}
}

func TestFieldsThatAreNotThereCannotVary(t *testing.T) {
	t.Parallel()
	form := Request{Method: "POST", Path: "/", Header: []Field{{"Content-Type", "application/x-www-form-urlencoded"}}, Body: []byte("a=1")}
	parts := Request{Method: "POST", Path: "/", Header: []Field{{"Content-Type", "multipart/form-data; boundary=b"}}, Body: []byte(uploaded)}
	for _, r := range []Request{form, parts} {
		for _, name := range []string{"/no", "/a/b", "/f/0"} {
			if _, err := NewSample(r, Policy{Vary: map[string]Vary{name: {}}}); err == nil || !strings.Contains(err.Error(), "no field of that name") {
				t.Errorf("%s in %s: %v", name, r.MediaType(), err)
			}
		}
	}
	for _, body := range []string{"", "--b--", "x", "--b\r\nno header", "--b\r\n\r\nx"} {
		broken := parts.Clone()
		broken.Body = []byte(body)
		if _, err := NewSample(broken, Policy{}); err == nil || !strings.Contains(err.Error(), "multipart/form-data") {
			t.Errorf("multipart body %q: %v", body, err)
		}
	}
}

// FuzzMultipart: whatever can be taken apart is put together again with the same parts.
func FuzzMultipart(f *testing.F) {
	f.Add([]byte(uploaded))
	f.Add([]byte("--b\n\nx: y\n\n\n--b--"))
	f.Fuzz(func(t *testing.T, body []byte) {
		r := Request{Header: []Field{{"Content-Type", "multipart/form-data; boundary=b"}}, Body: body}
		m, err := readMultipart(r)
		if err != nil {
			return
		}
		r.Body = m.bytes()
		again, err := readMultipart(r)
		if err != nil || len(again.list) != len(m.list) {
			t.Fatalf("%q written as %q: %d parts, %v; want %d", body, r.Body, len(again.list), err, len(m.list))
		}
	})
}
