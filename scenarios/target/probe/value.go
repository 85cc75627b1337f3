package probe

import (
	"context"
	"encoding/json"
	"fmt"
	"math/big"
	"net/http"
	"regexp"
	"sync"

	"github.com/theory/jsonpath"

	"github.com/oncespec/oncespec/scenarios/target/config"
	"github.com/oncespec/oncespec/scenarios/target/template"
)

// value reads a number.
type value struct {
	path *template.Template
	at   *jsonpath.Path
}

func newValue(op *config.Operation, c *config.ValueEffect) (*Probe, error) {
	path, err := template.ParseURL(c.Get)
	if err != nil {
		return nil, fmt.Errorf("value.get %s: %w", c.Get, err)
	}
	at, err := jsonpath.Parse(c.At)
	if err != nil {
		return nil, fmt.Errorf("value.at %s: %w", c.At, err)
	}
	return &Probe{Name: "value", Kind: Value, Shared: !tellsApart(op, path.Placeholders()), reader: &value{path, at}}, nil
}

func (*value) close() error { return nil }

func (v *value) read(ctx context.Context, from Source, s Subject) (Reading, error) {
	path, err := v.path.Expand(s.Vars)
	if err != nil {
		return Reading{}, err
	}
	url := from.Base + path
	answer, err := get(ctx, from, url, s.Headers)
	if err != nil {
		return Reading{}, err
	}
	if answer.Status == http.StatusNotFound || answer.Status == http.StatusGone {
		return Reading{Value: "0"}, nil
	}
	doc, err := document(url, answer)
	if err != nil {
		return Reading{}, err
	}
	nodes := v.at.Select(doc)
	if len(nodes) != 1 {
		return Reading{}, fmt.Errorf("GET %s: expected a number at %s, found nothing there in %s", url, v.at, shown(answer.Body))
	}
	number, ok := decimal(nodes[0])
	if !ok {
		return Reading{}, fmt.Errorf("GET %s: expected a decimal number at %s, found %s", url, v.at, head(compact(nodes[0]), 100))
	}
	return Reading{Value: number}, nil
}

// Compiled on first use: they are large, and most starts of the program never need them.
var (
	plainDecimal = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^-?[0-9]{1,300}(\.[0-9]{1,300})?$`) })
	withExponent = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^-?[0-9]{1,300}(\.[0-9]{1,300})?[eE][+-]?[0-9]{1,3}$`)
	})
)

// decimal is a number, or a text that is one, without exponent. What is larger than anything counted is refused.
func decimal(v any) (string, bool) {
	var text string
	switch v := v.(type) {
	case json.Number:
		text = v.String()
	case string:
		text = v
	}
	if plainDecimal().MatchString(text) {
		return text, true
	}
	if !withExponent().MatchString(text) {
		return "", false
	}
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		return "", false
	}
	return spelled(r), true
}

// spelled writes a number that came from decimals exactly.
func spelled(r *big.Rat) string {
	if r.IsInt() {
		return r.Num().String()
	}
	digits, _ := r.FloatPrec()
	return r.FloatString(digits)
}

// Difference is by how much a value moved, a decimal; empty where one of them is none.
func Difference(before, after string) string {
	from, ok := new(big.Rat).SetString(before)
	to, also := new(big.Rat).SetString(after)
	if !ok || !also {
		return ""
	}
	return spelled(to.Sub(to, from))
}

// Moves tells how many times a value moved by unit, the change that one execution makes. odd is the change where it is no
// whole number of executions. All are decimals as Reading.Value has them; the unit must not be zero.
func Moves(before, after, unit string) (times int, odd string, err error) {
	var numbers [3]*big.Rat
	for i, text := range []string{before, after, unit} {
		r, ok := new(big.Rat).SetString(text)
		if !ok || !plainDecimal().MatchString(text) {
			return 0, "", fmt.Errorf("found %q, expected a decimal number", head(text, 100))
		}
		numbers[i] = r
	}
	if numbers[2].Sign() == 0 {
		return 0, "", fmt.Errorf("found a unit of zero, expected the change that one execution makes")
	}
	change := new(big.Rat).Sub(numbers[1], numbers[0])
	quotient := new(big.Rat).Quo(change, numbers[2])
	if !quotient.IsInt() || !quotient.Num().IsInt64() || quotient.Sign() < 0 {
		return 0, spelled(change), nil
	}
	return int(quotient.Num().Int64()), "", nil
}
