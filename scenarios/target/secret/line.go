package secret

import (
	"regexp"
	"strings"
)

var (
	// pair is a member of a mapping as YAML and JSON write it: its name, and a value that is a text or a number.
	pair = regexp.MustCompile(`["']?([A-Za-z][A-Za-z0-9_.\-]*)["']?\s*:\s*(?:[&!][^\s]+\s+)*("(?:[^"\\]|\\.)*"?|'(?:[^']|'')*'?|(?:\$\{[^}]*\}?|[^,}\]\s{\["'#|>])(?:\$\{[^}]*\}?|[^,}\]])*)`)
	// scheme is a credential with its scheme.
	scheme = regexp.MustCompile(`(?i)\b(?:bearer|basic)\s+([^\s"',}]+)`)
	// userinfo is the password in a URL.
	userinfo = regexp.MustCompile(`://[^/\s:@]*:([^@/\s]+)@`)
	// parameter is one of a URL's query, or of a form.
	parameter = regexp.MustCompile(`[?&;]([A-Za-z][A-Za-z0-9_.\-]*)=([^&;#\s"'<>\\]+)`)
	// known is a key whose issuer gave it a shape.
	known = regexp.MustCompile(`(?i)\b(?:sk|rk|whsec|rzp)_(?:test_|live_)?[a-z0-9]{8,}`)
	// placeholder is filled in from elsewhere, and the first word of a credential names its scheme.
	placeholder = regexp.MustCompile(`(?i)\$\{[^}]*\}?|\{[a-z][^}]*\}|^["']?(?:bearer|basic)\s+`)
)

// Line masks what may be secret in a line of a configuration: the values of secret names, credentials, passwords in URLs, and
// the texts given, which are secret by their place. What is masked keeps its length, so that columns stay what they are.
// Placeholders are no secrets.
func Line(line string, given ...string) string {
	for _, p := range []*regexp.Regexp{pair, parameter} {
		line = masked(line, p, 2, func(name string) bool { return Header(name) || Member(name) })
	}
	for _, p := range []*regexp.Regexp{scheme, userinfo} {
		line = masked(line, p, 1, nil)
	}
	line = masked(line, known, 0, nil)
	for _, text := range given {
		if text != "" && strings.Contains(line, text) {
			line = strings.ReplaceAll(line, text, mask(text))
		}
	}
	return line
}

// masked masks a group of every match, where its first group has one of the names.
func masked(line string, p *regexp.Regexp, group int, names func(string) bool) string {
	var out strings.Builder
	done := 0
	for _, m := range p.FindAllStringSubmatchIndex(line, -1) {
		if names != nil && !names(line[m[2]:m[3]]) {
			continue
		}
		start, end := m[2*group], m[2*group+1]
		out.WriteString(line[done:start])
		out.WriteString(mask(line[start:end]))
		done = end
	}
	return out.String() + line[done:]
}

// mask hides a text but for its quotes and what is no secret in it.
func mask(text string) string {
	var out strings.Builder
	done := 0
	hide := func(part string) {
		for _, r := range part {
			if r != '"' && r != '\'' && r != ' ' {
				r = '*'
			}
			out.WriteRune(r)
		}
	}
	for _, m := range placeholder.FindAllStringIndex(text, -1) {
		hide(text[done:m[0]])
		out.WriteString(text[m[0]:m[1]])
		done = m[1]
	}
	hide(text[done:])
	return out.String()
}
