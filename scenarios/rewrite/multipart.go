package rewrite

import (
	"bytes"
	"errors"
	"fmt"
	"mime"
	"slices"
	"strings"
)

// multipart is a multipart/form-data body, each part with its header lines and content as they are spelled.
type multipart struct {
	boundary string
	newline  string // CRLF, or what the body has instead
	list     []part
}

type part struct {
	header []Field
	body   []byte
}

var errMultipart = errors.New("expected the parts of multipart/form-data, parted by the boundary that Content-Type names")

// readMultipart takes a body apart. What stands before the first and after the last part is dropped.
func readMultipart(r Request) (*multipart, error) {
	value, _ := r.Get("Content-Type")
	_, parameters, err := mime.ParseMediaType(value)
	if err != nil || parameters["boundary"] == "" {
		return nil, fmt.Errorf("Content-Type %q: expected a boundary", value)
	}
	m := &multipart{boundary: parameters["boundary"], newline: "\r\n"}
	if !bytes.Contains(r.Body, []byte("\r\n")) {
		m.newline = "\n"
	}
	delimiter := []byte("--" + m.boundary)
	at := bytes.Index(r.Body, delimiter)
	if at < 0 {
		return nil, errMultipart
	}
	next := append([]byte(m.newline), delimiter...)
	for rest := r.Body[at+len(delimiter):]; !bytes.HasPrefix(rest, []byte("--")); {
		rest = bytes.TrimLeft(rest, " \t")
		body, ok := bytes.CutPrefix(rest, []byte(m.newline))
		end := bytes.Index(body, next)
		if !ok || end < 0 {
			return nil, errMultipart
		}
		p, ok := readPart(body[:end], m.newline)
		if !ok {
			return nil, errMultipart
		}
		m.list = append(m.list, p)
		rest = body[end+len(next):]
	}
	if len(m.list) == 0 {
		return nil, errMultipart
	}
	return m, nil
}

func readPart(text []byte, newline string) (p part, ok bool) {
	head, body, found := bytes.Cut(append([]byte(newline), text...), []byte(newline+newline))
	if !found {
		return p, false
	}
	for line := range strings.SplitSeq(strings.TrimPrefix(string(head), newline), newline) {
		name, value, found := strings.Cut(line, ":")
		if !found {
			return p, false
		}
		p.header = append(p.header, Field{name, strings.TrimSpace(value)})
	}
	p.body = slices.Clone(body)
	return p, true
}

func (m *multipart) clone() *multipart {
	out := *m
	out.list = make([]part, len(m.list))
	for i, p := range m.list {
		out.list[i] = part{slices.Clone(p.header), slices.Clone(p.body)}
	}
	return &out
}

func (m *multipart) bytes() []byte {
	var b bytes.Buffer
	for _, p := range m.list {
		b.WriteString("--" + m.boundary + m.newline)
		for _, f := range p.header {
			b.WriteString(f.Name + ": " + f.Value + m.newline)
		}
		b.WriteString(m.newline)
		b.Write(p.body)
		b.WriteString(m.newline)
	}
	b.WriteString("--" + m.boundary + "--" + m.newline)
	return b.Bytes()
}

func (m *multipart) first(name string) int {
	return slices.IndexFunc(m.list, func(p part) bool { return p.name() == name })
}

// disposition is the part's Content-Disposition: its place, and its parameters.
func (p part) disposition() (at int, parameters map[string]string) {
	at = slices.IndexFunc(p.header, func(f Field) bool { return strings.EqualFold(f.Name, "Content-Disposition") })
	if at >= 0 {
		_, parameters, _ = mime.ParseMediaType(p.header[at].Value)
	}
	return at, parameters
}

func (p part) name() string {
	_, parameters := p.disposition()
	return parameters["name"]
}

func (p part) isFile() bool {
	_, parameters := p.disposition()
	_, file := parameters["filename"]
	return file
}

// onParts acts at one part of a multipart body, or at the body as a whole.
type onParts struct {
	fits func(part) bool // nil: the body as a whole
	edit func(e *partsEdit) bool
}

// partsEdit is a change of B's parts in the making.
type partsEdit struct {
	*multipart
	s      *Sample
	at     int
	rule   *rule
	choice int
}

func (r onParts) candidates(s *Sample) (out []Site) {
	if s.parts == nil {
		return nil
	}
	if r.fits == nil {
		return []Site{{}}
	}
	for i, p := range s.parts.list {
		_, guess, ok := s.grantField(p.name())
		if ok && r.fits(p) && s.parts.first(p.name()) == i {
			out = append(out, Site{At: Pointer{p.name()}.String(), Guess: guess})
		}
	}
	return out
}

func (r onParts) apply(s *Sample, site Site, choice int) (a, b Request, ok bool) {
	if s.parts == nil {
		return a, b, false
	}
	e := &partsEdit{multipart: s.parts.clone(), s: s, choice: choice, rule: anything}
	if r.fits != nil {
		name, isField := pairKey(true, site.At)
		if e.at = e.first(name); !isField || e.at < 0 || !r.fits(e.list[e.at]) {
			return a, b, false
		}
		if e.rule, _, ok = s.grantField(name); !ok {
			return a, b, false
		}
	} else if site.At != "" {
		return a, b, false
	}
	a, b = s.Request(), s.Request()
	if !r.edit(e) {
		return a, b, false
	}
	a.Body, b.Body = s.parts.bytes(), e.bytes()
	if e.boundary != s.parts.boundary {
		b.Set("Content-Type", "multipart/form-data; boundary="+e.boundary)
	}
	return a, b, true
}

// changePart gives a part another content.
func (s *Sample) changePart(c Change) error {
	name, ok := pairKey(true, c.At)
	i := s.parts.first(name)
	if !ok || i < 0 {
		return fmt.Errorf("the request body has no part of that name")
	}
	s.parts = s.parts.clone()
	s.parts.list[i].body = []byte(c.Value)
	s.request.Body = s.parts.bytes()
	return nil
}

// partSlots are the parts that may vary, files aside.
func (s *Sample) partSlots() (out []slot) {
	if s.parts == nil {
		return nil
	}
	for _, p := range s.parts.list {
		if rule, _, ok := s.grantField(p.name()); ok && !p.isFile() {
			out = append(out, oneOf(Pointer{p.name()}.String(), append([]string{""}, otherTexts(rule, string(p.body))...)))
		}
	}
	return out
}
