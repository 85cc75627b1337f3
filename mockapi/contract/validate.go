package contract

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/net/http/httpguts"

	"github.com/oncespec/oncespec/mockapi/spelling"
)

// Problem is one parameter that holds what it must not.
type Problem struct {
	Path     string // such as "mismatch.action", or "scope[1]" for an item of a list
	Found    string
	Expected string // a phrase, such as "one of refuse, execute"
	Near     string // the allowed word that was probably meant, or empty
}

func (p *Problem) Error() string {
	text := fmt.Sprintf("contract: %s: found %q, expected %s", p.Path, p.Found, p.Expected)
	if p.Near != "" {
		text += fmt.Sprintf(" (did you mean %q?)", p.Near)
	}
	return text
}

// Validate returns nil, or the Problems of a contract joined: unwrap to []error to reach each. The zero value of every
// parameter but Name is valid.
func (c Contract) Validate() error {
	var v validator
	v.check(httpguts.ValidHeaderFieldName(c.Name), "name", c.Name, "the name of a request header field")
	for _, one := range choices {
		v.word(one.path, one.value(c), one.allowed)
	}
	v.key(c.Key)
	v.scope(c.Scope)
	v.response("missing", c.Missing)
	v.response("malformed", c.Malformed)
	v.response("other_operation", c.OtherOperation)
	v.response("mismatch", c.Mismatch)
	v.response("expired", c.Expired)
	v.lifetime(c)
	for i, s := range c.InFlight.Statuses {
		v.check(s == 102 || 400 <= s && s <= 599, item("in_flight.statuses", i), strconv.Itoa(s), "102 or a status from 400 to 599")
	}
	v.fingerprint(c.Fingerprint)
	v.pointers("volatile", c.Volatile)
	if c.Marker.Name == "" {
		v.check(c.Marker.Value == "", "marker.value", c.Marker.Value, "nothing while marker.name is empty")
		v.check(c.Marker.OnFirst == "", "marker.on_first", c.Marker.OnFirst, "nothing while marker.name is empty")
	} else {
		v.check(httpguts.ValidHeaderFieldName(c.Marker.Name), "marker.name", c.Marker.Name, "the name of a response header field")
	}
	for i, s := range c.UnknownAnswers {
		v.check(400 <= s && s <= 599, item("unknown_answers", i), strconv.Itoa(s), "a status from 400 to 599")
	}
	v.check(c.Recovery.Within >= 0, "recovery.within", c.Recovery.Within.String(), "a duration such as 10s, or 0s for the harness's recovery timeout")
	return errors.Join(v.problems...)
}

type validator struct{ problems []error }

func (v *validator) check(ok bool, path, found, expected string) {
	if !ok {
		v.problems = append(v.problems, &Problem{Path: path, Found: found, Expected: expected})
	}
}

func (v *validator) word(path, found string, allowed []string) {
	if found != "" && !slices.Contains(allowed, found) {
		v.problems = append(v.problems, &Problem{Path: path, Found: found, Expected: "one of " + strings.Join(allowed, ", ") + ", or nothing for unspecified", Near: spelling.Nearest(found, allowed)})
	}
}

func (v *validator) key(k Key) {
	v.check(k.Min >= 0, "key.min", strconv.Itoa(k.Min), "a number of characters, or 0 for unspecified")
	v.check(k.Min <= mostLength, "key.min", strconv.Itoa(k.Min), fmt.Sprintf("at most %d characters", mostLength))
	v.check(k.Max <= mostLength, "key.max", strconv.Itoa(k.Max), fmt.Sprintf("at most %d characters, or 0 for unspecified", mostLength))
	v.check(k.Max >= 0, "key.max", strconv.Itoa(k.Max), "a number of characters, or 0 for unspecified")
	if k.Min > 0 && k.Max > 0 {
		v.check(k.Min <= k.Max, "key.min", strconv.Itoa(k.Min), fmt.Sprintf("at most key.max, which is %d", k.Max))
	}
	if k.Format != FormatPattern {
		v.check(k.Pattern == "", "key.pattern", k.Pattern, "nothing unless key.format is pattern")
	} else if k.Pattern == "" {
		v.check(false, "key.pattern", "", "a regular expression (RE2), since key.format is pattern")
	} else if _, err := regexp.Compile(k.Pattern); err != nil {
		v.check(false, "key.pattern", k.Pattern, "a regular expression (RE2): "+err.Error())
	} else if k.Longest() <= looked && !k.makes() {
		v.check(false, "key.pattern", k.Pattern, fmt.Sprintf("one of which a key of %d to %d characters can be made; set key.max where keys are longer", max(1, k.Min), k.Longest()))
	}
	if k.Format == FormatUUID || k.Format == FormatUUID4 {
		v.check(k.Min <= uuidLength, "key.min", strconv.Itoa(k.Min), "at most 36, the length of a UUID")
		v.check(k.Max == 0 || k.Max >= uuidLength, "key.max", strconv.Itoa(k.Max), "at least 36, the length of a UUID")
	}
}

// looked is the length up to which Validate tries a pattern out: longer keys take long to find.
const looked = 255

// makes tells whether a key of the declared pattern and lengths can be found, by a few choices that are the same always.
func (k Key) makes() bool {
	for seed := range byte(4) {
		if _, err := k.New(ShapeRandom, rand.NewChaCha8([32]byte{seed})); err == nil {
			return true
		}
	}
	return false
}

func (v *validator) scope(list []Scope) {
	for i, s := range list {
		if !slices.Contains(scopes, string(s)) {
			v.problems = append(v.problems, &Problem{Path: item("scope", i), Found: string(s), Expected: "one of " + strings.Join(scopes, ", "), Near: spelling.Nearest(string(s), scopes)})
			continue
		}
		v.check(slices.Index(list, s) == i, item("scope", i), string(s), "each scope once")
		v.check(s != Global || len(list) == 1, item("scope", i), string(s), "global alone: it excludes every other scope")
	}
}

// response refuses what would be ignored: a status of a refusal that never comes.
func (v *validator) response(path string, r Response) {
	refuses := r.Action == ActionRefuse || r.Action == ""
	for i, s := range r.Statuses {
		v.check(400 <= s && s <= 599, item(path+".statuses", i), strconv.Itoa(s), "a status from 400 to 599")
	}
	if !refuses {
		v.check(len(r.Statuses) == 0, path+".statuses", fmt.Sprint(r.Statuses), fmt.Sprintf("none: %s.action is %s, not refuse", path, r.Action))
		v.check(r.Code == "", path+".code", r.Code, fmt.Sprintf("none: %s.action is %s, not refuse", path, r.Action))
	}
}

// lifetime refuses one that cannot be told from none, and what would happen after one that is not declared.
func (v *validator) lifetime(c Contract) {
	v.check(c.Lifetime >= 0, "lifetime", c.Lifetime.String(), "a duration such as 24h, or 0s for unspecified")
	v.check(c.Lifetime == 0 || c.Lifetime >= shortestLifetime, "lifetime", c.Lifetime.String(), fmt.Sprintf("at least %s, or 0s for unspecified", shortestLifetime))
	if c.Lifetime == 0 {
		none := "nothing while lifetime is 0, which is unspecified"
		v.check(c.Expired.Action == "", "expired.action", c.Expired.Action, none)
		v.check(len(c.Expired.Statuses) == 0, "expired.statuses", fmt.Sprint(c.Expired.Statuses), none)
		v.check(c.Expired.Code == "", "expired.code", c.Expired.Code, none)
	}
}

func (v *validator) fingerprint(f Fingerprint) {
	v.pointers("fingerprint.fields", f.Fields)
	v.pointers("fingerprint.exclude", f.Exclude)
	v.pointers("fingerprint.sets", f.Sets)
	for i, h := range f.Headers {
		v.check(httpguts.ValidHeaderFieldName(h), item("fingerprint.headers", i), h, "the name of a request header field")
	}
	if f.Mode != ModeRaw && f.Mode != ModeNone {
		return
	}
	needsMeaning := fmt.Sprintf("nothing while fingerprint.mode is %s: the body is not read for its meaning", f.Mode)
	v.check(len(f.Fields) == 0, "fingerprint.fields", strings.Join(f.Fields, ", "), needsMeaning)
	v.check(len(f.Exclude) == 0, "fingerprint.exclude", strings.Join(f.Exclude, ", "), needsMeaning)
	v.check(len(f.Sets) == 0, "fingerprint.sets", strings.Join(f.Sets, ", "), needsMeaning)
}

func (v *validator) pointers(path string, list []string) {
	for i, p := range list {
		v.check(jsontext.Pointer(p).IsValid(), item(path, i), p, "a JSON Pointer, such as /items/0/id")
	}
}

func item(path string, i int) string { return fmt.Sprintf("%s[%d]", path, i) }
