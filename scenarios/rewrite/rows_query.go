package rewrite

import (
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	sourceURI    = "RFC 3986, 6.2.2: such URIs are equivalent"
	sourceParams = "general practice: a query is a list of named values"
)

// query/value and query/flag-dropped change what is asked for; many fingerprints cover the body only.
var queryRows = []Rewrite{
	{
		ID: "query/value", Sentence: "A query parameter has another value.",
		Class: Different, Part: Query, Source: sourceMeaning, Needs: "query parameter that may change",
		each: true,
		act: onQuery{edit: func(q *queryEdit) bool {
			others := q.otherTexts()
			if len(others) == 0 || !q.params[q.at].equals {
				return false
			}
			q.params[q.at].value = url.QueryEscape(others[q.choice%len(others)])
			return true
		}},
	},
	{
		ID: "query/flag-dropped", Sentence: "A query parameter is left out.",
		Class: Different, Part: Query, Source: sourceMeaning, Needs: "query parameter that may be absent",
		act: onQuery{drops: true, edit: func(q *queryEdit) bool {
			q.params = slices.Delete(q.params, q.at, q.at+1)
			return true
		}},
	},
}

var querySpellingRows = []Rewrite{
	{
		ID: "query/percent-case", Sentence: "The digits of a percent escape in the query are written in the other case.",
		Class: Same, Part: Query, Source: sourceURI, Needs: "query parameter with a character that can be escaped",
		act: onQuery{keeps: true, edit: otherHexCase},
	},
	{
		ID: "query/unreserved", Sentence: "A letter or digit in the query is percent-escaped.",
		Class: Same, Part: Query, Source: sourceURI, Needs: "query parameter with a letter or digit",
		act: onQuery{keeps: true, edit: escapeOne},
	},
	{
		ID: "query/repeated-order", Sentence: "Two values of a repeated query parameter have changed places.",
		Class: Different, Part: Query, Source: sourceParams, Needs: "repeated query parameter whose values may change places", Confirm: true,
		act: onQuery{edit: swapRepeated},
	},
	{
		ID: "query/framing", Sentence: "The separator before a query parameter is escaped, so that it belongs to the value before.",
		Class: Different, Part: Query, Source: "RFC 3986, 2.2: reserved characters and their escapes are not equivalent", Needs: "two query parameters, of which the second may be absent",
		act: onQuery{edit: func(q *queryEdit) bool {
			next := q.at + 1
			if next >= len(q.params) || !q.params[q.at].equals {
				return false
			}
			rule, guess, ok := q.s.grantQuery(q.params[next].key())
			merged := q.params[q.at].value + "%26" + joinQuery(q.params[next:next+1])
			if !ok || !guess && !rule.optional || !q.rule.admits(q.rule.read(unescaped(merged))) {
				return false
			}
			q.params[q.at].value = merged
			q.params = slices.Delete(q.params, next, next+1)
			return true
		}},
	},
	{
		ID: "query/moved-to-body", Sentence: "A query parameter is a member of the body instead.",
		Class: Different, Part: Query, Source: sourceMeaning, Needs: "query parameter that may be absent, with a JSON object as body", Confirm: true,
		act: onQuery{drops: true, edit: func(q *queryEdit) bool {
			p := q.params[q.at]
			isText := utf8.ValidString(p.key()) && utf8.ValidString(p.text()) // else JSON cannot hold it
			if !isText || q.s.root == nil || q.s.root.Kind != Object || q.s.root.index(p.key()) >= 0 {
				return false
			}
			root := q.s.root.Clone()
			root.set(p.key(), text(p.text()))
			q.b.Body = root.Append(nil)
			q.params = slices.Delete(q.params, q.at, q.at+1)
			return true
		}},
	},
	{
		ID: "query/name-order", Sentence: "The query's parameters stand in another order; values of one name keep theirs.",
		Class: SameByPractice, Part: Query, Source: sourceParams, Needs: "two query parameters of different names",
		act: onWire{edit: func(s *Sample, _, b *Request, _ int) bool {
			params := splitQuery(b.RawQuery)
			reverseGroups(params, param.key)
			b.RawQuery = joinQuery(params)
			return true
		}},
	},
	{
		ID: "query/plus-space", Sentence: "A space in the query is written as %20 instead of a plus sign, or the other way round.",
		Class: SameByPractice, Part: Query, Source: "HTML forms write a space as a plus sign; nearly every query parser reads both", Needs: "query parameter with a space",
		act: onQuery{keeps: true, edit: otherSpace},
	},
	{
		ID: "query/bare-mark", Sentence: "The path is followed by a question mark and nothing else.",
		Class: ByContract, Decides: ByQuery, Part: Query, Source: "RFC 3986, 3.4: an empty query is not the same as none", Needs: "path without a query",
		act: onWire{edit: func(_ *Sample, _, b *Request, _ int) bool {
			if b.RawQuery != "" {
				return false
			}
			b.BareMark = !b.BareMark
			return true
		}},
	},
	{
		ID: "query/empty-value", Sentence: "A query parameter without a value has an equals sign, or lost it.",
		Class: ByContract, Decides: ByQuery, Part: Query, Source: sourceParams, Needs: "query parameter without a value",
		act: onQuery{keeps: true, edit: func(q *queryEdit) bool {
			p := &q.params[q.at]
			p.equals = !p.equals
			return p.value == ""
		}},
	},
}

// otherHexCase writes the digits of an escape in the other case; where there is none that could be, A gets one.
func otherHexCase(q *queryEdit) bool {
	p := &q.params[q.at]
	if _, ok := swapHexCase(p.value); !ok {
		if p.value, ok = overEncode(p.value, hasHexLetter); !ok {
			return false
		}
		q.prepare()
	}
	p.value, _ = swapHexCase(p.value)
	return true
}

// escapeOne escapes a letter or digit of the value, or of the name.
func escapeOne(q *queryEdit) bool {
	p := &q.params[q.at]
	var ok bool
	if p.value, ok = overEncode(p.value, func(string) bool { return true }); !ok {
		p.name, ok = overEncode(p.name, func(string) bool { return true })
	}
	return ok
}

// otherSpace writes spaces as %20 instead of plus signs, or the other way round.
func otherSpace(q *queryEdit) bool {
	p := &q.params[q.at]
	switch {
	case strings.Contains(p.value, "+"):
		p.value = strings.ReplaceAll(p.value, "+", "%20")
	case strings.Contains(p.value, "%20"):
		p.value = strings.ReplaceAll(p.value, "%20", "+")
	default:
		return false
	}
	return true
}

// swapRepeated exchanges the value with a different one of the same name.
func swapRepeated(q *queryEdit) bool {
	first := &q.params[q.at]
	for i := q.at + 1; i < len(q.params); i++ {
		if other := &q.params[i]; other.key() == first.key() && other.text() != first.text() {
			first.value, other.value = other.value, first.value
			return true
		}
	}
	return false
}

// reverseGroups reverses the order of a list's keys and keeps the order within each.
func reverseGroups[T any](list []T, key func(T) string) {
	first := map[string]int{}
	for i, item := range list {
		if _, seen := first[key(item)]; !seen {
			first[key(item)] = i
		}
	}
	slices.SortStableFunc(list, func(a, b T) int { return first[key(b)] - first[key(a)] })
}

var pathRows = []Rewrite{
	{
		ID: "path/percent-case", Sentence: "The digits of a percent escape in the path are written in the other case.",
		Class: Same, Part: Path, Source: sourceURI, Needs: "path with a character that can be escaped",
		act: onWire{edit: func(_ *Sample, a, b *Request, _ int) bool {
			ok := true
			if _, has := swapHexCase(a.Path); !has {
				a.Path, ok = overEncode(a.Path, hasHexLetter)
			}
			b.Path, _ = swapHexCase(a.Path)
			return ok
		}},
	},
	{
		ID: "path/unreserved", Sentence: "A letter or digit of the path is percent-escaped.",
		Class: Same, Part: Path, Source: sourceURI, Needs: "path with a letter or digit",
		act: onWire{edit: func(_ *Sample, _, b *Request, _ int) (ok bool) {
			b.Path, ok = overEncode(b.Path, func(string) bool { return true })
			return ok
		}},
	},
	{
		ID: "path/encoded-slash", Sentence: "An encoded slash in the path is a slash.",
		Class: Different, Part: Path, Source: "RFC 3986, 2.2: reserved characters and their escapes are not equivalent", Needs: "path with an encoded slash", Confirm: true,
		act: onPath(func(path string) string {
			return strings.Replace(strings.Replace(path, "%2F", "/", 1), "%2f", "/", 1)
		}),
	},
	{
		ID: "path/trailing-slash", Sentence: "The path ends with a slash, or lost the one it had.",
		Class: ByContract, Part: Path, Source: sourceRouting, Needs: "path with a segment",
		act: onPath(func(path string) string {
			if path == "/" {
				return path
			}
			if shorter, ok := strings.CutSuffix(path, "/"); ok && shorter != "" {
				return shorter
			}
			return path + "/"
		}),
	},
	{
		ID: "path/double-slash", Sentence: "A slash in the path is two.",
		Class: ByContract, Part: Path, Source: sourceRouting, Needs: "path of two or more segments",
		act: onPath(func(path string) string {
			if at := strings.LastIndexByte(path, '/'); at > 0 {
				return path[:at] + "/" + path[at:]
			}
			return path
		}),
	},
	{
		ID: "path/case", Sentence: "The first segment of the path is written in the other case.",
		Class: ByContract, Part: Path, Source: sourceRouting, Needs: "path with a letter outside of its escapes",
		act: onPath(func(path string) string {
			first, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
			if first == "" || strings.Contains(first, "%") {
				return path
			}
			return "/" + otherCase(first) + strings.TrimPrefix(path, "/"+first)
		}),
	},
}

const sourceRouting = "RFC 3986, 6.2.3: the server decides whether such paths name one resource"

func onPath(change func(string) string) action {
	return onWire{edit: func(_ *Sample, _, b *Request, _ int) bool {
		b.Path = change(b.Path)
		return true
	}}
}
