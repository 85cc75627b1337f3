package rule

import (
	"fmt"
	"mime"
	"net/url"
	"slices"
	"strings"

	"github.com/oncespec/oncespec/mockapi/contract"
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

// ProofOf says how well it is shown that the attempts put the target to the test: strong where all were answered and seen
// to reach it whole, weak where they were answered only.
func ProofOf(attempts ...*history.Attempt) verdict.Proof {
	proof := verdict.Strong
	for _, a := range attempts {
		switch {
		case a == nil || a.Outcome != history.Answered || a.Answer == nil:
			return verdict.None
		case !a.Link.Reached || !a.Link.RequestWhole:
			proof = verdict.Weak
		}
	}
	if len(attempts) == 0 {
		return verdict.None
	}
	return proof
}

// Undecided says why an attempt's outcome tells nothing of what the target decided, or is empty. That is a lost attempt, an
// intermediary's answer, a status that the contract calls unknown, and a 429 that the contract gives no meaning: whoever is
// asked to slow down has not been answered.
func (c Case) Undecided(a *history.Attempt) string {
	switch {
	case a == nil:
		return "was not sent"
	case a.Outcome != history.Answered || a.Answer == nil:
		if a.Reason != "" {
			return a.Outcome + " (" + a.Reason + ")"
		}
		return a.Outcome
	case a.Replaced:
		return fmt.Sprintf("was answered %d by an intermediary", a.Answer.Status)
	case c.Class(a) == contract.Unknown:
		return fmt.Sprintf("was answered %d, which leaves the outcome unknown", a.Answer.Status)
	case c.Contract.Throttled(a.Exchange()):
		return "was answered 429: set limits.rate to what the target allows"
	}
	return ""
}

// NoResult is what to report where an attempt should have been answered with a result, before anything can be judged that
// builds on it; nil where it was. The name says which attempt: "the first attempt".
func (c Case) NoResult(name string, a *history.Attempt) []Finding {
	if why := c.Undecided(a); why != "" {
		return []Finding{Inconclusive(verdict.Environment, "%s %s", name, why)}
	}
	if !c.Succeeded(a) {
		return []Finding{Inconclusive(verdict.Environment, "%s was answered %s, not with a result", name, c.Says(a))}
	}
	return nil
}

// Places lists where an answer names a text as a whole word: JSON Pointers to leaves of its body, "body" where that is no
// whole JSON, and "header NAME".
func Places(a *history.Answer, text string) []string {
	if a == nil || text == "" {
		return nil
	}
	var places []string
	if tree, ok := parse(a.Body); ok {
		walk(tree, "", func(at, leaf string) {
			if names(leaf, text) {
				places = append(places, at)
			}
		})
	} else if names(a.Body.Text, text) {
		places = append(places, "body")
	}
	for name, values := range a.Header {
		if slices.ContainsFunc(values, func(v string) bool { return names(v, text) }) {
			places = append(places, "header "+name)
		}
	}
	slices.Sort(places)
	return places
}

// bothName tells whether two answers name a text in the same place, so that a short id is not taken for an amount.
func bothName(a, b *history.Answer, text string) bool {
	in := Places(b, text)
	return slices.ContainsFunc(Places(a, text), func(p string) bool { return slices.Contains(in, p) })
}

// names tells whether the text is in there as a whole word, also where that escapes it as a URL does.
func names(in, text string) bool {
	return hasWord(in, text) || strings.Contains(in, "%") && hasWord(in, url.QueryEscape(text)) || strings.Contains(in, "%") && hasWord(in, url.PathEscape(text))
}

func hasWord(in, word string) bool {
	for at := 0; ; at++ {
		i := strings.Index(in[at:], word)
		if i < 0 {
			return false
		}
		at += i
		end := at + len(word)
		if (at == 0 || !wordByte(in[at-1])) && (end == len(in) || !wordByte(in[end])) {
			return true
		}
	}
}

func wordByte(b byte) bool {
	return b == '_' || b == '-' || b >= 0x80 || '0' <= b && b <= '9' || 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z'
}

// HeaderDiffers compares the fields of two answers that describe their content and where the resource is, and says which
// differs; empty: none. Fields that only the second has are left out. Of Location the path and query count: the host may
// be that of the connection's own proxy.
func HeaderDiffers(first, second *history.Attempt) string {
	if was, is := field(first, "Content-Type"), field(second, "Content-Type"); was != "" && mediaType(was) != mediaType(is) {
		return fmt.Sprintf("Content-Type %q became %q", was, is)
	}
	if was, is := field(first, "Location"), field(second, "Location"); was != "" && location(first, was) != location(second, is) {
		return fmt.Sprintf("Location %q became %q", was, is)
	}
	return ""
}

func field(a *history.Attempt, name string) string {
	if values := a.Answer.Header[name]; len(values) > 0 {
		return values[0]
	}
	return ""
}

func mediaType(v string) string {
	kind, params, err := mime.ParseMediaType(v)
	if err != nil {
		return v
	}
	return kind + ";" + strings.ToLower(params["charset"])
}

func location(a *history.Attempt, v string) string {
	if v == "" {
		return ""
	}
	to, err := url.Parse(v)
	if err != nil {
		return v
	}
	if from, err := url.Parse(a.Request.URL); err == nil {
		to = from.ResolveReference(to)
	}
	return to.EscapedPath() + "?" + to.RawQuery
}
