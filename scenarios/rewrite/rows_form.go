package rewrite

import (
	"net/url"
	"slices"
	"strings"
)

const (
	sourceForm = "URL Standard, 5: application/x-www-form-urlencoded decodes to a list of names and values"
	hasForm    = "form field"
)

// form/* changes what a URL-encoded form says …
var formRows = []Rewrite{
	{
		ID: "form/value", Sentence: "A field of the form has another value.",
		Class: Different, Part: Body, Source: sourceMeaning, Needs: "form field that may change",
		each: true,
		act: onQuery{form: true, edit: func(q *queryEdit) bool {
			others := q.otherTexts()
			if len(others) == 0 || !q.params[q.at].equals {
				return false
			}
			q.params[q.at].value = url.QueryEscape(others[q.choice%len(others)])
			return true
		}},
	},
	{
		ID: "form/encoded-plus", Sentence: "A space in the form is an encoded plus sign.",
		Class: Different, Part: Body, Source: sourceForm + "; a plus sign is a space, %2B is a plus sign", Needs: "form field with a space that may change",
		act: onQuery{form: true, edit: func(q *queryEdit) bool {
			p := &q.params[q.at]
			now := p.text()
			other := strings.Replace(now, " ", "+", 1)
			if other == now || !q.rule.admits(q.rule.read(other)) {
				return false
			}
			p.value = strings.Replace(strings.ReplaceAll(p.value, "%20", "+"), "+", "%2B", 1)
			return true
		}},
	},
	{
		ID: "form/repeated", Sentence: "A field of the form is there twice, with another value.",
		Class: Different, Part: Body, Source: sourceForm, Needs: "form field that may change", Confirm: true,
		act: onQuery{form: true, edit: func(q *queryEdit) bool {
			others := q.otherTexts()
			if len(others) == 0 {
				return false
			}
			again := param{q.params[q.at].name, url.QueryEscape(others[q.choice%len(others)]), true}
			q.params = slices.Insert(q.params, q.at+1, again)
			return true
		}},
	},
	{
		ID: "form/repeated-order", Sentence: "Two values of a repeated field of the form have changed places.",
		Class: Different, Part: Body, Source: sourceForm, Needs: "repeated form field whose values may change places", Confirm: true,
		act: onQuery{form: true, edit: swapRepeated},
	},
}

// … or only how it is written.
var formSpellingRows = []Rewrite{
	{
		ID: "form/name-order", Sentence: "The form's fields stand in another order; values of one name keep theirs.",
		Class: SameByPractice, Part: Body, Source: sourceForm, Needs: "two form fields of different names",
		act: onWire{edit: func(_ *Sample, _, b *Request, _ int) bool {
			if !b.isForm() {
				return false
			}
			params := splitQuery(string(b.Body))
			reverseGroups(params, param.key)
			b.Body = []byte(joinQuery(params))
			return true
		}},
	},
	{
		ID: "form/percent-case", Sentence: "The digits of a percent escape in the form are written in the other case.",
		Class: Same, Part: Body, Source: sourceForm, Needs: hasForm + " with a character that can be escaped",
		act: onQuery{form: true, keeps: true, edit: otherHexCase},
	},
	{
		ID: "form/plus", Sentence: "A space in the form is written as %20 instead of a plus sign, or the other way round.",
		Class: Same, Part: Body, Source: sourceForm, Needs: hasForm + " with a space",
		act: onQuery{form: true, keeps: true, edit: otherSpace},
	},
	{
		ID: "form/over-encoded", Sentence: "A letter or digit in the form is percent-escaped.",
		Class: Same, Part: Body, Source: sourceForm, Needs: hasForm + " with a letter or digit",
		act: onQuery{form: true, keeps: true, edit: escapeOne},
	},
	{
		ID: "form/to-json", Sentence: "The form's fields are the members of a JSON object instead.",
		Class: ByContract, Part: Body, Source: "an API may take both media types, and may count which one", Needs: "form whose fields have different names",
		act: onWire{edit: func(_ *Sample, _, b *Request, _ int) bool {
			if !b.isForm() || len(b.Body) == 0 {
				return false
			}
			object := &Node{Kind: Object}
			for _, p := range splitQuery(string(b.Body)) {
				if object.index(p.key()) >= 0 {
					return false
				}
				object.set(p.key(), text(p.text()))
			}
			b.Body = object.Append(nil)
			b.Set("Content-Type", "application/json")
			return true
		}},
	},
}
