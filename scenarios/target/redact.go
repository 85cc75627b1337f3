package target

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/target/config"
	"github.com/oncespec/oncespec/scenarios/target/secret"
)

const (
	redacted = "[redacted]"
	// bodyHead is how much of a body a history keeps.
	bodyHead = 16 << 10
	// recordedHead is how much of a body is looked at for that: redaction makes it shorter.
	recordedHead = 4 * bodyHead
	// longSecret is the length from which a secret is looked for inside of words too. Shorter ones, such as "acme", are
	// replaced where they stand alone: inside of other words they would eat names and numbers that are no secrets.
	longSecret = 8
	// shortestSecret keeps values such as "1" from being replaced wherever they occur.
	shortestSecret = 4
)

var (
	parameter  = regexp.MustCompile(`([?&;][A-Za-z][A-Za-z0-9_.\-]{1,40}=)[^&;#\s"'<>\\]+`)
	memberName = regexp.MustCompile(`(\\{0,7})"([A-Za-z][A-Za-z0-9_.\-]{1,40})\\{0,7}"\s*:\s*`)
)

// redactor takes secrets out of everything that is recorded: by value, by header name and by member name.
type redactor struct {
	headers map[string]bool // secret by their place, in lower case
	long    *strings.Replacer
	short   []string
	longest int
	known   memo
}

// memo keeps what was made of short texts: a target answers much the same again and again. The zero value is ready for use.
type memo struct {
	mu   sync.Mutex
	made map[string]string
}

// Bounds of a memo.
const (
	mostMemos   = 512
	longestMemo = 4 << 10
)

// of is what make makes of a text.
func (m *memo) of(s string, make func(string) string) string {
	if len(s) > longestMemo {
		return make(s)
	}
	m.mu.Lock()
	out, known := m.made[s]
	m.mu.Unlock()
	if known {
		return out
	}
	out = make(s)
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.made == nil || len(m.made) >= mostMemos {
		m.made = map[string]string{}
	}
	m.made[s] = out
	return out
}

// Redaction returns what hides a configuration's secrets in a text, such as a path of it: by their values, and by the names of
// parameters and members.
func Redaction(cfg *config.Config) func(string) string { return newRedactor(cfg).target }

// text redacts by value, and by the name of a member or of a URL's parameter.
func (r *redactor) text(s string) string { return r.known.of(s, r.redact) }

func (r *redactor) redact(s string) string {
	if r.long != nil {
		s = r.long.Replace(s)
	}
	for _, word := range r.short {
		s = replaceWord(s, word)
	}
	return redactMembers(redactParameters(s))
}

// words redacts every string of a list.
func (r *redactor) words(list []string) []string {
	if list == nil {
		return nil
	}
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = r.text(s)
	}
	return out
}

// value redacts the value of a header field.
func (r *redactor) value(name, value string) string {
	if secret.Header(name) || r.headers[strings.ToLower(name)] {
		return redacted
	}
	return r.text(value)
}

// target redacts a request target: path, and query parameters by name.
func (r *redactor) target(s string) string {
	path, query, found := strings.Cut(s, "?")
	if found {
		path += "?" + redactForm(query)
	}
	return r.text(path)
}

// body records a bounded head of a body. length and sum describe the whole; head may be less than that.
func (r *redactor) body(head []byte, length int64, sum string, form bool) history.Body {
	b := history.Body{Length: length, SHA256: sum, Truncated: int64(len(head)) < length}
	if b.Truncated {
		// A secret that the end of the head cuts in two would not be found.
		head = head[:max(0, len(head)-r.longest)]
	}
	text := string(head)
	if form {
		text = redactForm(text)
	}
	text = r.text(text)
	if len(text) > bodyHead {
		text, b.Truncated = strings.Clone(text[:bodyHead]), true // a history must not keep the rest alive
	}
	if utf8.ValidString(text) {
		b.Text = text
		return b
	}
	if whole := trimPartialRune(text); b.Truncated && utf8.ValidString(whole) {
		b.Text = whole
		return b
	}
	b.Base64 = base64.StdEncoding.EncodeToString([]byte(text))
	return b
}

// wholeBody is body for a message that is all there.
func (r *redactor) wholeBody(body []byte, form bool) history.Body {
	if len(body) == 0 {
		return history.Body{}
	}
	sum := sha256.Sum256(body)
	return r.body(body, int64(len(body)), hex.EncodeToString(sum[:]), form)
}

func trimPartialRune(s string) string {
	for i := 0; i < utf8.UTFMax-1 && len(s) > 0; i++ {
		if last, size := utf8.DecodeLastRuneInString(s); last != utf8.RuneError || size > 1 {
			break
		}
		s = s[:len(s)-1]
	}
	return s
}

// replaceWord replaces a secret where it stands alone, a long one also inside of words. A number in JSON is replaced by a
// string: JSON has to stay JSON, or what is recorded of a body could not be compared any more.
func replaceWord(s, secret string) string {
	if !strings.Contains(s, secret) {
		return s
	}
	number := isNumber(secret)
	var out strings.Builder
	for at := 0; ; {
		i := strings.Index(s[at:], secret)
		if i < 0 {
			out.WriteString(s[at:])
			return out.String()
		}
		start, end := at+i, at+i+len(secret)
		out.WriteString(s[at:start])
		alone := (start == 0 || !wordByte(s[start-1])) && (end == len(s) || !wordByte(s[end]))
		switch from, to, isValue := jsonNumber(s, start, end); {
		case number && isValue && from == start && to == end:
			out.WriteString(`"` + redacted + `"`)
		case !alone && len(secret) < longSecret, number && isValue: // in the latter it is a part of another number
			out.WriteString(secret)
		default:
			out.WriteString(redacted)
		}
		at = end
	}
}

// jsonNumber finds the number that holds s[start:end], and tells whether it stands where a value of JSON does.
func jsonNumber(s string, start, end int) (from, to int, isValue bool) {
	const digits, space = "0123456789+-.eE", " \t\r\n"
	for from = start; from > 0 && strings.IndexByte(digits, s[from-1]) >= 0; from-- {
	}
	for to = end; to < len(s) && strings.IndexByte(digits, s[to]) >= 0; to++ {
	}
	before, after := strings.TrimRight(s[max(0, from-64):from], space), strings.TrimLeft(s[to:min(len(s), to+64)], space)
	isValue = isNumber(s[from:to]) && (before == "" || strings.IndexByte(":,[", before[len(before)-1]) >= 0) &&
		(after == "" || strings.IndexByte(",]}", after[0]) >= 0)
	return from, to, isValue
}

// isNumber tells whether a text is a number of JSON.
func isNumber(text string) bool {
	return text != "" && strings.IndexByte("-0123456789", text[0]) >= 0 && json.Valid([]byte(text))
}

func wordByte(b byte) bool {
	return b == '_' || '0' <= b && b <= '9' || 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' || b >= utf8.RuneSelf
}

// redactParameters redacts the values of URL parameters by name, wherever a URL stands in a text.
func redactParameters(s string) string {
	if !strings.Contains(s, "=") {
		return s
	}
	return parameter.ReplaceAllStringFunc(s, func(p string) string {
		name, _, _ := strings.Cut(p[1:], "=")
		if !secret.Member(name) {
			return p
		}
		return p[:len(name)+2] + redacted
	})
}

// redactForm redacts the values of parameters by name.
func redactForm(s string) string {
	if !strings.Contains(s, "=") {
		return s
	}
	parameters := strings.Split(s, "&")
	for i, p := range parameters {
		name, value, found := strings.Cut(p, "=")
		if plain, err := url.QueryUnescape(name); err == nil && found && value != "" && secret.Member(plain) {
			parameters[i] = name + "=" + redacted
		}
	}
	return strings.Join(parameters, "&")
}

// redactMembers redacts the values of JSON members by name. It works on any text, since what a target answers may be cut,
// invalid, or JSON inside of a JSON string.
func redactMembers(s string) string {
	if !strings.Contains(s, `"`) || !secret.Mentions(s) {
		return s
	}
	names := memberName.FindAllStringSubmatchIndex(s, -1)
	if names == nil {
		return s
	}
	var out strings.Builder
	done := 0
	for _, m := range names {
		if m[0] < done || !secret.Member(s[m[4]:m[5]]) {
			continue
		}
		start := m[1]
		end := start + jsonValueLength(s[start:], s[m[2]:m[3]])
		if v := s[start:end]; v == "" || v == "null" {
			continue
		}
		out.WriteString(s[done:start])
		escape := s[m[2]:m[3]]
		out.WriteString(escape + `"` + redacted + escape + `"`)
		done = end
	}
	out.WriteString(s[done:])
	return out.String()
}

// jsonValueLength is the length of the value that s begins with; an unfinished one reaches to the end. escape is what
// stands before the quotes where the JSON is itself inside of a string.
func jsonValueLength(s, escape string) int {
	quote := escape + `"`
	switch {
	case s == "":
		return 0
	case strings.HasPrefix(s, quote):
		return stringLength(s, escape)
	case s[0] == '{' || s[0] == '[':
		depth := 0
		for i := 0; i < len(s); i++ {
			switch {
			case s[i] == '{' || s[i] == '[':
				depth++
			case s[i] == '}' || s[i] == ']':
				if depth--; depth == 0 {
					return i + 1
				}
			case strings.HasPrefix(s[i:], quote):
				i += stringLength(s[i:], escape) - 1
			}
		}
		return len(s)
	}
	if i := strings.IndexAny(s, ",}] \t\r\n"); i >= 0 {
		return i
	}
	return len(s)
}

func stringLength(s, escape string) int {
	quote := escape + `"`
	if escape != "" {
		if i := strings.Index(s[len(quote):], quote); i >= 0 {
			return i + 2*len(quote)
		}
		return len(s)
	}
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(s)
}
