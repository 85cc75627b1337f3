package template

import (
	"net/url"
	"strings"
)

// Template is a text with placeholders, parsed once. It is read-only and safe for concurrent use.
type Template struct {
	parts []part
	url   bool
}

// part is literal text, or a placeholder.
type part struct {
	text  string
	hole  *Placeholder
	query bool // the part stands behind the question mark of a URL
}

// Parse reads a text: a header value, a text body, an argument of a command.
func Parse(text string) (*Template, error) {
	parts, err := scan(text, scanner{})
	if err != nil {
		return nil, err
	}
	return &Template{parts: parts}, nil
}

// ParseURL reads a path with a query, or a whole URL. A placeholder at its very beginning stands for all of a path or URL
// and is filled in as it is; all others are escaped.
func ParseURL(text string) (*Template, error) {
	parts, err := scan(text, scanner{strict: true})
	if err != nil {
		return nil, err
	}
	query := false
	for i := range parts {
		parts[i].query = query
		if parts[i].hole == nil {
			query = query || strings.Contains(parts[i].text, "?")
		}
	}
	if err := checkURL(text, parts); err != nil {
		return nil, err
	}
	return &Template{parts: parts, url: true}, nil
}

// Placeholders lists what the template needs, in order.
func (t *Template) Placeholders() []Placeholder { return holes(t.parts) }

func holes(parts []part) []Placeholder {
	var out []Placeholder
	for _, p := range parts {
		if p.hole != nil {
			out = append(out, *p.hole)
		}
	}
	return out
}

// Expand fills the template in. An error names the placeholder and what is missing.
func (t *Template) Expand(v Vars) (string, error) {
	var b strings.Builder
	for i, p := range t.parts {
		if p.hole == nil {
			b.WriteString(p.text)
			continue
		}
		text, err := p.hole.scalar(v)
		switch {
		case err != nil:
			return "", err
		case !t.url || i == 0:
		case p.query:
			// %20 is a space to every server, + only to those that decode forms.
			text = strings.ReplaceAll(url.QueryEscape(text), "+", "%20")
		default:
			text = url.PathEscape(text)
		}
		b.WriteString(text)
	}
	return b.String(), nil
}

// checkURL refuses what a URL cannot hold.
func checkURL(text string, parts []part) error {
	if text == "" {
		return &Error{Found: "nothing", Expected: "a path such as /v1/tickets"}
	}
	left := holes(parts)
	for i := 0; i < len(text); i++ {
		if len(left) > 0 && left[0].Offset == i {
			i += len(left[0].String()) - 1
			left = left[1:]
			continue
		}
		switch c := text[i]; {
		case c <= ' ' || c >= 0x7f || strings.IndexByte(`"<>\^`+"`|", c) >= 0:
			char := []rune(text[i:])[0]
			return &Error{Offset: i, Found: quoted(char), Expected: "it escaped: " + url.PathEscape(string(char))}
		case c == '#':
			return &Error{Offset: i, Found: "a fragment", Expected: "none: it is never sent; %23 for the character"}
		case c == '%' && !escaped(text[i:]):
			return &Error{Offset: i, Found: "a lone %", Expected: "two hexadecimal digits behind it; %25 for the character"}
		}
	}
	if parts[0].hole == nil && !strings.HasPrefix(text, "/") && !strings.Contains(parts[0].text, "://") {
		return &Error{Found: quotedText(text), Expected: "a path that begins with /"}
	}
	return nil
}

func escaped(s string) bool {
	return len(s) >= 3 && isHex(s[1]) && isHex(s[2])
}

func isHex(c byte) bool { return strings.IndexByte("0123456789abcdefABCDEF", c) >= 0 }
