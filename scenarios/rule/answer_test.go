package rule_test

import (
	"slices"
	"testing"

	"github.com/oncespec/oncespec/mockapi/contract"
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/history/historytest"
	"github.com/oncespec/oncespec/scenarios/rule"
	"github.com/oncespec/oncespec/scenarios/rule/ruletest"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

func answered(status int, body string) *history.Attempt {
	b := historytest.New("replay/again")
	return b.Answered(b.Intent(), "first", status, body)
}

func TestProofOf(t *testing.T) {
	t.Parallel()
	seen, unseen, lost := answered(201, ""), answered(201, ""), answered(201, "")
	unseen.Link = history.Link{}
	lost.Outcome, lost.Answer = history.Lost, nil
	for name, tc := range map[string]struct {
		attempts []*history.Attempt
		want     verdict.Proof
	}{
		"seen at the target":            {[]*history.Attempt{seen, seen}, verdict.Strong},
		"one was only answered":         {[]*history.Attempt{seen, unseen}, verdict.Weak},
		"one was lost":                  {[]*history.Attempt{seen, lost}, verdict.None},
		"one was lost after a weak one": {[]*history.Attempt{unseen, lost, seen}, verdict.None},
		"one was not sent":              {[]*history.Attempt{seen, nil}, verdict.None},
		"none":                          {nil, verdict.None},
	} {
		if got := rule.ProofOf(tc.attempts...); got != tc.want {
			t.Errorf("%s: expected %s, found %s", name, tc.want, got)
		}
	}
}

func TestUndecided(t *testing.T) {
	t.Parallel()
	c := rule.Case{Contract: ruletest.IETF(t)}
	replaced := answered(201, "")
	replaced.Replaced = true
	lost := answered(201, "")
	lost.Outcome, lost.Answer = history.Lost, nil
	for name, tc := range map[string]struct {
		attempt *history.Attempt
		want    bool
	}{
		"a result":        {answered(201, ""), false},
		"a refusal":       {answered(422, ""), false},
		"told to wait":    {answered(409, ""), false},
		"a failure":       {answered(500, ""), false},
		"unavailable":     {answered(503, ""), true},
		"slow down":       {answered(429, ""), true},
		"an intermediary": {replaced, true},
		"lost":            {lost, true},
		"not sent":        {nil, true},
	} {
		if got := c.Undecided(tc.attempt); got != "" != tc.want {
			t.Errorf("%s: found %q", name, got)
		}
	}
	c.Contract.InFlight.Statuses = []int{429}
	if why := c.Undecided(answered(429, "")); why != "" {
		t.Errorf("a 429 that the contract declares is an answer, found %q", why)
	}
}

func TestPlaces(t *testing.T) {
	t.Parallel()
	a := answered(201, `{"id":12,"link":"/things/12?full=1","amount":1200,"items":[{"for":"12"}],"a/b":"x-12","uuid":"12-34"}`)
	a.Answer.Header = map[string][]string{"Location": {"http://host/things/12"}, "Etag": {`"312"`}}
	want := []string{"/id", "/items/0/for", "/link", "header Location"}
	if got := rule.Places(a.Answer, "12"); !slices.Equal(got, want) {
		t.Errorf("expected %v, found %v", want, got)
	}
	if got := rule.Places(answered(200, "created 12.").Answer, "12"); !slices.Equal(got, []string{"body"}) {
		t.Errorf("expected the body, found %v", got)
	}
	if got := rule.Places(answered(200, `{"see":"/q?t=a%20b"}`).Answer, "a b"); len(got) != 1 {
		t.Errorf("expected an escaped text to be found, found %v", got)
	}
	if rule.Places(nil, "12") != nil || rule.Places(a.Answer, "") != nil {
		t.Error("nothing is named by no answer, and no text is named")
	}
}

func TestCompareBodies(t *testing.T) {
	t.Parallel()
	cut := func(text, sum string, length int64) history.Body {
		return history.Body{Text: text, SHA256: sum, Length: length, Truncated: true}
	}
	redacted := historytest.Body(`{"secret":"***"}`)
	redacted.SHA256 = "of the secret"
	for name, tc := range map[string]struct {
		a, b     history.Body
		volatile []string
		want     rule.Likeness
	}{
		"equal":                             {historytest.Body("x"), historytest.Body("x"), nil, rule.Alike},
		"both empty":                        {history.Body{}, history.Body{}, nil, rule.Alike},
		"one empty":                         {history.Body{}, historytest.Body("x"), nil, rule.Unlike},
		"another order":                     {historytest.Body(`{"a":1,"b":[1,2]}`), historytest.Body(`{ "b":[1,2], "a":1 }`), nil, rule.Alike},
		"another order of items":            {historytest.Body(`[1,2]`), historytest.Body(`[2,1]`), nil, rule.Unlike},
		"another number":                    {historytest.Body(`{"n":9007199254740992}`), historytest.Body(`{"n":9007199254740993}`), nil, rule.Unlike},
		"another spelling of a number":      {historytest.Body(`[1.50,-0,2e3,100]`), historytest.Body(`[1.5,0,2000,1e2]`), nil, rule.Alike},
		"numbers beyond all bounds":         {historytest.Body(`[1e99999999999]`), historytest.Body(`[1e99999999998]`), nil, rule.Unlike},
		"a number and its text":             {historytest.Body(`{"n":1}`), historytest.Body(`{"n":"1"}`), nil, rule.Unlike},
		"null and absent":                   {historytest.Body(`{"n":null}`), historytest.Body(`{}`), nil, rule.Unlike},
		"a member more":                     {historytest.Body(`{}`), historytest.Body(`{"n":1}`), nil, rule.Unlike},
		"volatile":                          {historytest.Body(`{"at":1,"id":2}`), historytest.Body(`{"at":3,"id":2}`), []string{"/at"}, rule.Alike},
		"volatile and absent":               {historytest.Body(`{"at":1,"id":2}`), historytest.Body(`{"id":2}`), []string{"/at"}, rule.Alike},
		"volatile inside an array":          {historytest.Body(`{"l":[{"at":1,"id":2}]}`), historytest.Body(`{"l":[{"at":3,"id":2}]}`), []string{"/l/0/at"}, rule.Alike},
		"all is volatile":                   {historytest.Body(`1`), historytest.Body(`2`), []string{""}, rule.Alike},
		"more than what is volatile":        {historytest.Body(`{"at":1,"id":2}`), historytest.Body(`{"at":3,"id":3}`), []string{"/at"}, rule.Unlike},
		"an escaped name is volatile":       {historytest.Body(`{"a/b":1}`), historytest.Body(`{"a/b":2}`), []string{"/a~1b"}, rule.Alike},
		"text":                              {historytest.Body(`hello`), historytest.Body(`hullo`), nil, rule.Unlike},
		"a second value behind the first":   {historytest.Body(`{} {}`), historytest.Body(`{}`), nil, rule.Unlike},
		"long and equal":                    {cut("x", "s", 9), cut("x", "s", 9), nil, rule.Alike},
		"long and not equal":                {cut("x", "s", 9), cut("x", "t", 9), nil, rule.Unlike},
		"long, equal, something volatile":   {cut("x", "s", 9), cut("x", "s", 9), []string{"/at"}, rule.Alike},
		"long, unequal, something volatile": {cut("x", "s", 9), cut("x", "t", 9), []string{"/at"}, rule.Incomplete},
		"they differ where it is redacted":  {historytest.Body(`{"secret":"***"}`), redacted, nil, rule.Unlike},
		"binary":                            {history.Body{Base64: "AA==", Length: 1, SHA256: "a"}, history.Body{Base64: "AQ==", Length: 1, SHA256: "b"}, nil, rule.Unlike},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, pair := range [][2]history.Body{{tc.a, tc.b}, {tc.b, tc.a}} {
				got, detail := rule.CompareBodies(pair[0], pair[1], tc.volatile)
				if got != tc.want || (got == rule.Alike) != (detail == "") {
					t.Errorf("expected %v, found %v: %s", tc.want, got, detail)
				}
			}
		})
	}
}

func FuzzCompareBodies(f *testing.F) {
	f.Add(`{"a":[1,2.50,{"b":null}]}`, `{"a":[1,2.5,{"b":false}]}`, "/a/2/b")
	f.Add(`1e999999999`, `-0.000e-5`, "")
	f.Fuzz(func(t *testing.T, x, y, pointer string) {
		a, b := historytest.Body(x), historytest.Body(y)
		if likeness, where := rule.CompareBodies(a, a, []string{pointer}); likeness != rule.Alike {
			t.Errorf("a body is unlike itself: %s", where)
		}
		there, _ := rule.CompareBodies(a, b, []string{pointer})
		back, _ := rule.CompareBodies(b, a, []string{pointer})
		if there != back {
			t.Errorf("%q and %q: %v one way, %v the other", x, y, there, back)
		}
	})
}

func TestHeaderDiffers(t *testing.T) {
	t.Parallel()
	with := func(kind, location string) *history.Attempt {
		a := answered(201, "{}")
		a.Request.URL = "http://127.0.0.1:1/things"
		a.Answer.Header = map[string][]string{}
		if kind != "" {
			a.Answer.Header["Content-Type"] = []string{kind}
		}
		if location != "" {
			a.Answer.Header["Location"] = []string{location}
		}
		return a
	}
	for name, tc := range map[string]struct {
		first, second *history.Attempt
		differs       bool
	}{
		"the same":                {with("text/plain", "/things/1"), with("text/plain", "/things/1"), false},
		"relative and absolute":   {with("", "things/1"), with("", "http://127.0.0.1:2/things/1"), false},
		"another resource":        {with("", "/things/1"), with("", "/things/2"), true},
		"gone":                    {with("", "/things/1"), with("", ""), true},
		"new":                     {with("", ""), with("text/plain", "/things/1"), false},
		"another type":            {with("text/plain", ""), with("text/html", ""), true},
		"another charset":         {with("text/plain; charset=utf-8", ""), with("text/plain; charset=latin1", ""), true},
		"the charset elsewise":    {with("text/plain; charset=utf-8", ""), with("Text/Plain;charset=UTF-8", ""), false},
		"a type gone":             {with("text/plain", ""), with("", ""), true},
		"a type that is none":     {with(";;", ""), with(";;", ""), false},
		"another query":           {with("", "/things?id=1"), with("", "/things?id=2"), true},
		"a location that is none": {with("", "http://%zz"), with("", "http://%zz"), false},
	} {
		if got := rule.HeaderDiffers(tc.first, tc.second); got != "" != tc.differs {
			t.Errorf("%s: found %q", name, got)
		}
	}
}

func TestGrewIsToldByResourcesFirst(t *testing.T) {
	t.Parallel()
	b := historytest.New("key/scope")
	in := b.Intent()
	if _, readable := rule.Grew(b.History(), in.ID, "idle", "after"); readable {
		t.Error("nothing was read")
	}
	b.Saw(in, history.Ledger, "idle", 0)
	b.Saw(in, history.Ledger, "after", 1)
	if grew, _ := rule.Grew(b.History(), in.ID, "idle", "after"); !grew {
		t.Error("the ledger grew, and nothing else can be read")
	}
	b.Saw(in, history.Resource, "idle", 1)
	b.Saw(in, history.Resource, "after", 1)
	if grew, readable := rule.Grew(b.History(), in.ID, "idle", "after"); grew || !readable {
		t.Error("a late call downstream is no effect of what was done in between")
	}
}

func TestIdentitiesAreNotWhatTheCallerChose(t *testing.T) {
	t.Parallel()
	b := historytest.New("key/scope")
	in := b.Intent()
	a := b.Answered(in, "first", 201, `{"id":"t-1","title":"marker-1","key":"key-1"}`)
	b.Saw(in, history.Resource, "first", 1, "t-1", "marker-1", "key-1", "unnamed")
	if got := rule.Identities(b.History(), a); !slices.Equal(got, []string{"t-1"}) {
		t.Errorf("expected t-1, found %v", got)
	}
}

func TestNoResult(t *testing.T) {
	t.Parallel()
	c := rule.Case{Contract: contract.Contract{}}
	if f := c.NoResult("the first attempt", answered(201, "")); f != nil {
		t.Errorf("expected nothing, found %v", f)
	}
	for _, a := range []*history.Attempt{nil, answered(400, ""), answered(500, ""), answered(503, "")} {
		f := c.NoResult("the first attempt", a)
		if len(f) != 1 || f[0].Outcome != verdict.Inconclusive || f[0].Blame != verdict.Environment {
			t.Errorf("expected the environment to be blamed, found %v", f)
		}
	}
}
