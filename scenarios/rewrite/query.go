package rewrite

import (
	"net/url"
	"slices"
	"strings"
)

// param is one parameter of a query as it is spelled.
type param struct {
	name, value string
	equals      bool // there is an equals sign
}

func splitQuery(raw string) []param {
	if raw == "" {
		return nil
	}
	var out []param
	for part := range strings.SplitSeq(raw, "&") {
		var p param
		p.name, p.value, p.equals = strings.Cut(part, "=")
		out = append(out, p)
	}
	return out
}

func joinQuery(list []param) string {
	parts := make([]string, len(list))
	for i, p := range list {
		parts[i] = p.name
		if p.equals {
			parts[i] += "=" + p.value
		}
	}
	return strings.Join(parts, "&")
}

func (p param) key() string  { return unescaped(p.name) }
func (p param) text() string { return unescaped(p.value) }

func unescaped(s string) string {
	if plain, err := url.QueryUnescape(s); err == nil {
		return plain
	}
	return s
}

// onQuery acts at one parameter of the query, or at one field of a URL-encoded form: both are spelled alike.
type onQuery struct {
	form  bool // it is a field of the body
	keeps bool // the meaning stays, so any parameter will do
	drops bool // the parameter goes
	edit  func(q *queryEdit) bool
}

// queryEdit is a change of B's query or form in the making. A may be prepared by setting a, or with prepare.
type queryEdit struct {
	s      *Sample
	form   bool
	a, b   *Request
	params []param // B's, written when the edit is done
	at     int     // the parameter it acts at
	rule   *rule
	choice int
}

// pairsOf is the query, or the form that the body is.
func (r Request) pairsOf(form bool) string {
	if form {
		return string(r.Body)
	}
	return r.RawQuery
}

func (r *Request) setPairs(form bool, raw string) {
	if form {
		r.Body = []byte(raw)
	} else {
		r.RawQuery = raw
	}
}

// prepare gives A the parameters as they are now.
func (q *queryEdit) prepare() { q.a.setPairs(q.form, joinQuery(q.params)) }

func (r onQuery) candidates(s *Sample) []Site {
	if r.form && !s.request.isForm() {
		return nil
	}
	var out []Site
	raw := s.request.pairsOf(r.form)
	for i, p := range splitQuery(raw) {
		_, guess, _ := s.grantPair(r.form, p.key())
		site := Site{At: pairAt(r.form, p.key()), Guess: guess && !r.keeps}
		if p.name != "" && !slices.Contains(out, site) && firstOf(raw, p.key()) == i {
			out = append(out, site)
		}
	}
	return out
}

// pairAt names a parameter of the query, or a field of a form.
func pairAt(form bool, key string) string {
	if form {
		return Pointer{key}.String()
	}
	return "?" + key
}

// pairKey is the inverse of pairAt.
func pairKey(form bool, at string) (string, bool) {
	if !form {
		return strings.CutPrefix(at, "?")
	}
	p, err := ParsePointer(at)
	if err != nil || len(p) != 1 {
		return "", false
	}
	return p[0], true
}

func firstOf(raw, key string) int {
	return slices.IndexFunc(splitQuery(raw), func(p param) bool { return p.key() == key })
}

func (r onQuery) apply(s *Sample, site Site, choice int) (a, b Request, ok bool) {
	key, isPair := pairKey(r.form, site.At)
	raw := s.request.pairsOf(r.form)
	at := firstOf(raw, key)
	if !isPair || at < 0 || r.form && !s.request.isForm() {
		return a, b, false
	}
	rule, guess, ok := s.grantPair(r.form, key)
	if !r.keeps && (!ok || r.drops && !guess && !rule.optional) {
		return a, b, false
	}
	a, b = s.Request(), s.Request()
	q := &queryEdit{s: s, form: r.form, a: &a, b: &b, params: splitQuery(raw), at: at, rule: rule, choice: choice}
	if !r.edit(q) {
		return a, b, false
	}
	b.setPairs(r.form, joinQuery(q.params))
	return a, b, true
}

// grantPair tells whether a parameter of the query, or a field of the form, may change.
func (s *Sample) grantPair(form bool, key string) (r *rule, guess, ok bool) {
	if form {
		return s.grantField(key)
	}
	return s.grantQuery(key)
}

// grantQuery tells whether a parameter may change.
func (s *Sample) grantQuery(key string) (r *rule, guess, ok bool) {
	switch {
	case slices.Contains(s.policy.Fixed, "?"+key):
		return nil, false, false
	case len(s.policy.Vary) == 0:
		return anything, true, true
	}
	r, ok = s.query[key]
	return r, false, ok
}

// otherTexts are the values that the parameter could have instead.
func (q *queryEdit) otherTexts() []string { return otherTexts(q.rule, q.params[q.at].text()) }

// otherTexts are the texts that a field could have instead of the present one.
func otherTexts(r *rule, now string) []string {
	var out []string
	switch {
	case len(r.enum) > 0:
		for _, n := range r.enum {
			out = append(out, plainText(n))
		}
	case now == "true":
		out = []string{"false"}
	case now == "false":
		out = []string{"true"}
	case now == "1":
		out = []string{"0", "2"}
	case validNumber(now):
		out = []string{step(now, 1), step(now, -1)}
	default:
		for _, n := range nudged(now) {
			out = append(out, plainText(n))
		}
	}
	return slices.DeleteFunc(out, func(other string) bool {
		return other == now || len(r.enum) == 0 && !r.admits(r.read(other))
	})
}

// read makes a value of a parameter's text, by the type that the rule has.
func (r *rule) read(s string) *Node {
	switch {
	case (r.kind == TypeInteger || r.kind == TypeNumber) && validNumber(s):
		return number(s)
	case r.kind == TypeBoolean && (s == "true" || s == "false"):
		return boolean(s == "true")
	}
	return text(s)
}

func plainText(n *Node) string {
	if n.Kind == String {
		return unquote(n.Text)
	}
	return n.String()
}

// Percent-encoding.

const upperHex = "0123456789ABCDEF"

func percent(c byte) string { return string([]byte{'%', upperHex[c>>4], upperHex[c&15]}) }

// isUnreserved tells whether encoding a character changes nothing (RFC 3986, 2.3).
func isUnreserved(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte("-._~", c) >= 0
}

// overEncode encodes the last unreserved character that is not part of an escape and satisfies want.
func overEncode(s string, want func(encoded string) bool) (string, bool) {
	for i := len(s) - 1; i >= 0; i-- {
		inEscape := i >= 1 && s[i-1] == '%' || i >= 2 && s[i-2] == '%'
		if isUnreserved(s[i]) && !inEscape && want(percent(s[i])) {
			return s[:i] + percent(s[i]) + s[i+1:], true
		}
	}
	return s, false
}

// hasHexLetter tells whether the case of an escape's digits can change.
func hasHexLetter(encoded string) bool { return strings.ContainsAny(encoded[1:], "ABCDEFabcdef") }

// swapHexCase changes the case of the digits of the first escape where that is possible.
func swapHexCase(s string) (string, bool) {
	for i := 0; i+2 < len(s); i++ {
		if s[i] == '%' && hasHexLetter(s[i:i+3]) {
			other := strings.ToLower(s[i : i+3])
			if other == s[i:i+3] {
				other = strings.ToUpper(other)
			}
			return s[:i] + other + s[i+3:], true
		}
	}
	return s, false
}
