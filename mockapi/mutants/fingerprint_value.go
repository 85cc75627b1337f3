package mutants

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/oncespec/oncespec/mockapi/fingerprint"
)

// valueMutants take values for equal that the API tells apart.
var valueMutants = []Mutant{
	compares("fingerprint-sorts-arrays", "It sorts arrays, so items in another order are the same request.",
		[]string{"fingerprint/other-meaning#array/reordered"},
		func(value any) any {
			return walk(value, func(v any) any {
				if items, ok := v.([]any); ok {
					slices.SortFunc(items, func(a, b any) int { return cmp.Compare(text(a), text(b)) })
				}
				return v
			})
		},
		May{"fingerprint/other-meaning", "other changes of the order of items"},
	),
	compares("fingerprint-null-is-absent", "It drops members that are null, although the API keeps them.",
		[]string{"fingerprint/declared#absent/null-to-absent"},
		func(value any) any {
			return members(value, func(_ string, member any) bool { return member != nil })
		},
		May{"fingerprint/property", "the random search may meet it too"},
	),
	compares("fingerprint-drops-empty", "It drops members that are zero, false or empty, like an encoder that omits empty values.",
		[]string{"fingerprint/other-meaning#absent/zero-to-absent"},
		func(value any) any {
			return members(value, func(_ string, member any) bool {
				return !slices.Contains([]string{`null`, `false`, `0`, `""`, `[]`, `{}`}, text(member))
			})
		},
		May{"fingerprint/other-meaning", "other changes between an empty value and another, or none"},
		May{"fingerprint/declared", "an empty value and an absent one, whose effects differ"},
	),
	compares("fingerprint-folds-case", "It lower-cases the body first, so EUR and eur are the same request.",
		[]string{"fingerprint/other-meaning#leaf/case"},
		func(value any) any {
			return walk(value, func(v any) any {
				if s, ok := v.(string); ok {
					return strings.ToLower(s)
				}
				return v
			})
		}),
	compares("fingerprint-forgets-types", "It compares values as text, so 1, \"1\" and [1] are the same.",
		[]string{"fingerprint/other-meaning#type/number-to-string"},
		func(value any) any {
			return walk(value, func(v any) any {
				switch v := v.(type) {
				case map[string]any:
					return v
				case []any:
					if len(v) == 1 {
						return v[0]
					}
					return v
				case json.Number:
					if exact, err := fingerprint.Number(v.String()); err == nil {
						return exact
					}
				}
				return fmt.Sprint(v)
			})
		},
		May{"fingerprint/other-meaning", "other changes of type"},
	),
	compares("fingerprint-trims-text", "It trims texts and folds their white space, so texts that differ only there are the same.",
		[]string{"fingerprint/other-meaning#text/trailing-space"},
		func(value any) any {
			return walk(value, func(v any) any {
				if s, ok := v.(string); ok {
					return strings.Join(strings.Fields(s), " ")
				}
				return v
			})
		},
		May{"fingerprint/other-meaning", "other changes of white space"},
	),
	compares("fingerprint-by-kind", "Its comparison was written for urgent tickets: of all others, labels and details do not count.",
		[]string{"fingerprint/property"},
		func(value any) any {
			if ticket, ok := value.(map[string]any); ok && ticket["priority"] != "high" {
				delete(ticket, "labels")
				delete(ticket, "details")
			}
			return value
		}),
}
