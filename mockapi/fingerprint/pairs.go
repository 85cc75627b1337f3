package fingerprint

import (
	"net/url"
	"slices"
	"strings"
)

// pair is one name and value of a query or a form, decoded.
type pair struct{ name, value string }

// pairs decodes a query or a URL-encoded form, ordered by name; pairs of one name keep their order, which has a meaning.
// A name without an equals sign has the empty value. Empty pieces between separators say nothing. What is wrongly
// encoded counts as it stands, apart from every text that is not: a decoded text never equals it.
func pairs(text string) []pair {
	var list []pair
	for piece := range strings.SplitSeq(text, "&") {
		if piece == "" {
			continue
		}
		name, value, _ := strings.Cut(piece, "=")
		list = append(list, pair{decoded(name), decoded(value)})
	}
	slices.SortStableFunc(list, func(a, b pair) int { return strings.Compare(a.name, b.name) })
	return list
}

// decoded marks what it could decode with "=" and what it could not with "%".
func decoded(text string) string {
	if plain, err := url.QueryUnescape(text); err == nil {
		return "=" + plain
	}
	return "%" + text
}
