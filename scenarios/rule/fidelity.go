package rule

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/oncespec/oncespec/mockapi/contract"
	"github.com/oncespec/oncespec/scenarios/history"
)

// Unlike says how a repeated answer falls short of the first one in status and body, where the declared fidelity covers them;
// empty where it does not. Which thing the answers name, and their headers, are other questions.
func (c Case) Unlike(first, again *history.Attempt) string {
	if c.Contract.Fidelity != contract.FidelityBody && c.Contract.Fidelity != contract.FidelityHeaders {
		return ""
	}
	switch {
	case first == nil || again == nil || first.Answer == nil || again.Answer == nil:
		return ""
	case first.Answer.Status != again.Answer.Status:
		return fmt.Sprintf("status %d became %d", first.Answer.Status, again.Answer.Status)
	case !c.SameBody(first.Answer.Body, again.Answer.Body):
		return "the body is another one"
	}
	return ""
}

// SameBody compares two answer bodies without the parts that the contract declares volatile: JSON by its values, with
// numbers as they are written, everything else by its bytes. Where a long body was recorded in part and cannot be
// compared without its volatile parts, it passes.
func (c Case) SameBody(a, b history.Body) bool {
	if a.SHA256 == b.SHA256 && a.Length == b.Length {
		return true
	}
	if (a.Truncated || b.Truncated) && len(c.Contract.Volatile) > 0 {
		return true
	}
	va, ok := decode(a)
	vb, also := decode(b)
	if !ok || !also {
		return false
	}
	for _, p := range c.Contract.Volatile {
		va, vb = without(va, p), without(vb, p)
	}
	return reflect.DeepEqual(va, vb)
}

// without takes the value at a JSON Pointer out of a decoded body.
func without(body any, pointer string) any {
	if pointer == "" {
		return nil
	}
	unescape := strings.NewReplacer("~1", "/", "~0", "~")
	steps := strings.Split(pointer, "/")[1:]
	at := body
	for i, step := range steps {
		step, last := unescape.Replace(step), i == len(steps)-1
		switch in := at.(type) {
		case map[string]any:
			if last {
				delete(in, step)
			}
			at = in[step]
		case []any:
			n, err := strconv.Atoi(step)
			if err != nil || n < 0 || n >= len(in) {
				return body
			}
			if last {
				in[n] = nil
			}
			at = in[n]
		}
	}
	return body
}
