package fuzz

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/oncespec/oncespec/mockapi/fingerprint"
	"github.com/oncespec/oncespec/scenarios/rewrite"
)

// mostObserved bounds what is kept for the diagnosis.
const mostObserved = 2000

// observation is how the target took a pair: as one request (a replay) or as two.
type observation struct {
	rewrite string
	a, b    rewrite.Request
	alike   bool
	wrong   bool // the verdict
}

// Strategy is a way to compare requests that would explain what was seen.
type Strategy struct {
	Name     string   `json:"name"`
	Does     string   `json:"does"`
	Explains int      `json:"explains"` // wrong rows that it foretells
	Of       int      `json:"of"`
	Against  int      `json:"against"`            // rows that it foretells otherwise than seen
	Evidence []string `json:"evidence"`           // wrong rows that it foretells
	Contrary []string `json:"contrary,omitempty"` // rows that speak against it
}

// model is a strategy as a function: requests with one result are taken for one. It is false where it cannot read the request.
type model struct {
	name, does string
	of         func(rewrite.Request) (string, bool)
}

// models are the strategies that the diagnosis knows, as people write them.
var models = []model{
	{"key only", "it does not compare the payload at all", func(rewrite.Request) (string, bool) { return "", true }},
	{"raw bytes", "it compares the body byte for byte", func(r rewrite.Request) (string, bool) { return r.Target() + contentType(r) + string(r.Body), true }},
	{"JSON.stringify", "it compares JSON.stringify of the parsed body: the order of members counts, numbers are binary floating point", js(keepOrder, nil)},
	{"sorted replacer array", "it gives JSON.stringify the sorted list of the top-level names, which drops nested members of other names", js(sortOrder, topNames)},
	{"recursive sort", "it sorts members recursively; numbers are binary floating point", js(sortOrder, nil)},
	{"case folding", "it compares in lower case", changedBy(func(n *rewrite.Node) string { return strings.ToLower(exact(n)) })},
	{"float64", "it decodes into maps with numbers as float64", goAny},
	{"JCS (RFC 8785)", "it compares the canonical form of RFC 8785, whose numbers are binary floating point", jcs},
	{"query ignored", "it does not compare the query", func(r rewrite.Request) (string, bool) { return body(r, exact) }},
	{"null is absent", "it drops members that are null", changedBy(without(func(n *rewrite.Node) bool { return n.Kind == rewrite.Null }))},
	{"empty is absent", "it drops members that are zero, false, null or empty", changedBy(without(empty))},
	{"arrays as sets", "it sorts the items of arrays", changedBy(func(n *rewrite.Node) string { return write(n, style{sets: true}) })},
	{"types forgotten", "it compares values as text", changedBy(func(n *rewrite.Node) string { return write(n, style{untyped: true}) })},
	{"white space trimmed", "it trims texts and folds their white space", changedBy(func(n *rewrite.Node) string { return write(n, style{trimmed: true}) })},
}

// structs is the strategy of a server that decodes the body into the fields that it knows: those of the sample.
func structs(sample []byte) model {
	known, err := rewrite.Parse(sample)
	return model{"struct decoding", "it decodes into known fields, which drops all others", func(r rewrite.Request) (string, bool) {
		n, wrong := rewrite.Parse(r.Body)
		if err != nil || wrong != nil {
			return "", false
		}
		return query(r) + write(n, style{known: known}), true
	}}
}

// diagnose names the strategies that explain what was seen, the likeliest first: those that foretell the most wrong rows, and
// the fewest others wrongly.
func diagnose(seen []observation) []Strategy {
	var wrong []observation
	for _, o := range seen {
		if o.wrong {
			wrong = append(wrong, o)
		}
	}
	if len(wrong) == 0 {
		return nil
	}
	var out []Strategy
	for _, m := range append(slices.Clone(models), structs(sampleIn(seen))) {
		s := Strategy{Name: m.name, Does: m.does, Of: len(names(wrong))}
		var explained, contrary []observation
		for _, o := range seen {
			predicted, ok := m.alike(o)
			if !ok {
				continue
			}
			switch {
			case predicted != o.alike:
				contrary = append(contrary, o)
			case o.wrong:
				explained = append(explained, o)
			}
		}
		s.Evidence, s.Contrary = names(explained), names(contrary)
		s.Explains, s.Against = len(s.Evidence), len(s.Contrary)
		out = append(out, s)
	}
	slices.SortStableFunc(out, func(a, b Strategy) int { return cmp.Compare(b.score(), a.score()) })
	best := out[0].score()
	return slices.DeleteFunc(out, func(s Strategy) bool { return s.Explains == 0 || s.score() < best || s.score() <= 0 })
}

// score weighs what a strategy explains against what speaks against it.
func (s Strategy) score() int { return s.Explains - s.Against }

func (m model) alike(o observation) (alike, ok bool) {
	a, okA := m.of(o.a)
	b, okB := m.of(o.b)
	return a == b, okA && okB
}

func names(list []observation) (out []string) {
	for _, o := range list {
		if !slices.Contains(out, o.rewrite) {
			out = append(out, o.rewrite)
		}
	}
	return out
}

// sampleIn is the plainest body among those that were sent.
func sampleIn(seen []observation) []byte {
	var plain []byte
	for _, o := range seen {
		if plain == nil || len(o.a.Body) > 0 && len(o.a.Body) < len(plain) {
			plain = o.a.Body
		}
	}
	return plain
}

// query is what every strategy but those that say so compares of the rest.
func query(r rewrite.Request) string {
	values, err := url.ParseQuery(r.RawQuery)
	if err != nil {
		return r.Method + " " + r.RawQuery + "\n"
	}
	return r.Method + " " + values.Encode() + "\n"
}

func contentType(r rewrite.Request) string { return r.MediaType() + "\n" }

// body reads the body and leaves the query out.
func body(r rewrite.Request, print func(*rewrite.Node) string) (string, bool) {
	n, err := rewrite.Parse(r.Body)
	if err != nil {
		return "", false
	}
	return print(n), true
}

func changedBy(print func(*rewrite.Node) string) func(rewrite.Request) (string, bool) {
	return func(r rewrite.Request) (string, bool) {
		text, ok := body(r, print)
		return query(r) + text, ok
	}
}

// exact is the reference: exact decimals, order of members left out.
func exact(n *rewrite.Node) string { return write(n, style{}) }

// goAny is what encoding/json makes of a body that is decoded into any and encoded again.
func goAny(r rewrite.Request) (string, bool) {
	if bytes.Contains(r.Body, []byte("1e400")) {
		return "", false // it cannot be read
	}
	text, ok := body(r, func(n *rewrite.Node) string {
		return write(n, style{float: func(f float64) string { return strconv.FormatFloat(f, 'g', -1, 64) }})
	})
	return query(r) + text, ok
}

// jcs is RFC 8785: what it cannot represent it refuses.
func jcs(r rewrite.Request) (string, bool) {
	readable := true
	text, ok := body(r, func(n *rewrite.Node) string {
		return write(n, style{float: func(f float64) string {
			readable = readable && !math.IsInf(f, 0)
			return positive(f)
		}})
	})
	return query(r) + text, ok && readable
}

// positive writes -0 as 0.
func positive(f float64) string { return strconv.FormatFloat(f+0, 'g', -1, 64) }

type order int

const (
	sortOrder order = iota
	keepOrder       // as JavaScript keeps it: names that are array indices first
)

// topNames are the names at the top of a body.
func topNames(n *rewrite.Node) map[string]bool {
	out := map[string]bool{}
	for _, m := range n.Members {
		out[m.Key()] = true
	}
	return out
}

// js is JSON.stringify of JSON.parse.
func js(by order, only func(*rewrite.Node) map[string]bool) func(rewrite.Request) (string, bool) {
	return changedBy(func(n *rewrite.Node) string {
		s := style{order: by, float: func(f float64) string {
			if math.IsInf(f, 0) {
				return "null"
			}
			return positive(f)
		}}
		if only != nil {
			s.only = only(n)
		}
		return write(n, s)
	})
}

// style is how a strategy writes a value before it compares it. The zero value is the reference's.
type style struct {
	order   order
	float   func(float64) string // nil: exact decimals
	only    map[string]bool      // the members that are written at all
	drops   func(*rewrite.Node) bool
	known   *rewrite.Node // the fields that are known; nil: all
	sets    bool
	untyped bool
	trimmed bool
}

func without(drops func(*rewrite.Node) bool) func(*rewrite.Node) string {
	return func(n *rewrite.Node) string { return write(n, style{drops: drops}) }
}

func empty(n *rewrite.Node) bool {
	return slices.Contains([]string{`null`, `false`, `0`, `""`, `[]`, `{}`}, n.String())
}

func write(n *rewrite.Node, s style) string {
	switch n.Kind {
	case rewrite.Number:
		return s.number(n.Text)
	case rewrite.String:
		text := n.Decoded()
		if s.trimmed {
			text = strings.Join(strings.Fields(text), " ")
		}
		if s.untyped {
			return text
		}
		return strconv.Quote(text)
	case rewrite.Array:
		items := make([]string, len(n.Items))
		for i, item := range n.Items {
			below := s
			if s.known != nil {
				below.known = child(s.known, i)
			}
			items[i] = write(item, below)
		}
		if s.sets {
			slices.Sort(items)
		}
		if s.untyped && len(items) == 1 {
			return items[0]
		}
		return "[" + strings.Join(items, ",") + "]"
	case rewrite.Object:
		return s.object(n)
	}
	return n.Text
}

// child is the known shape of an array's item.
func child(known *rewrite.Node, i int) *rewrite.Node {
	if i < len(known.Items) {
		return known.Items[i]
	}
	return &rewrite.Node{Kind: rewrite.Null}
}

func (s style) number(literal string) string {
	if s.float == nil {
		if text, err := fingerprint.Number(literal); err == nil {
			return text
		}
		return literal
	}
	f, _ := strconv.ParseFloat(literal, 64) // beyond its range it is infinite
	return s.float(f)
}

// object writes each name once, with its last value.
func (s style) object(n *rewrite.Node) string {
	values := map[string]*rewrite.Node{}
	var names []string
	for _, m := range n.Members {
		name := m.Key()
		if s.known != nil {
			name = field(s.known, name)
		}
		if _, again := values[name]; !again {
			names = append(names, name)
		}
		values[name] = m.Value
	}
	if s.order == sortOrder {
		slices.Sort(names)
	} else {
		slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(index(a), index(b)) })
	}
	var out []string
	for _, name := range names {
		value := values[name]
		below := s
		if s.known != nil {
			known, found := s.known.At(rewrite.Pointer{name})
			if !found {
				continue
			}
			below.known = known
		}
		if s.only != nil && !s.only[name] || s.drops != nil && s.drops(value) {
			continue
		}
		out = append(out, strconv.Quote(name)+":"+write(value, below))
	}
	return "{" + strings.Join(out, ",") + "}"
}

// field finds a known name whatever the case it is written in, as encoding/json does.
func field(known *rewrite.Node, name string) string {
	for _, m := range known.Members {
		if strings.EqualFold(m.Key(), name) {
			return m.Key()
		}
	}
	return name
}

// index sorts names that JavaScript takes for array indices before all others.
func index(name string) uint64 {
	if n, err := strconv.ParseUint(name, 10, 32); err == nil && strconv.FormatUint(n, 10) == name {
		return n
	}
	return math.MaxUint64
}

// String says it in a line.
func (s Strategy) String() string {
	text := fmt.Sprintf("%s: %s (foretells %d of %d wrong rows", s.Name, s.Does, s.Explains, s.Of)
	if s.Against > 0 {
		text += fmt.Sprintf("; %d speak against it: %s", s.Against, strings.Join(s.Contrary[:min(3, len(s.Contrary))], ", "))
	}
	return text + ")"
}
