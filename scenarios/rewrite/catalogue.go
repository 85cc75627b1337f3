package rewrite

import "slices"

// Catalogue returns all rewrites, the likeliest to find a real defect first. The order is part of what the catalogue says:
// a search draws from its beginning more often, and shrinks towards it.
func Catalogue() []Rewrite { return slices.Clone(catalogue) }

// Find returns the rewrite of that id.
func Find(id string) (Rewrite, bool) {
	for _, r := range catalogue {
		if r.ID == id {
			return r, true
		}
	}
	return Rewrite{}, false
}

var catalogue = slices.Concat(
	queryRows,
	leafRows,
	orderRows,
	spaceRows,
	framingRows,
	volatileRows,
	numberRows,
	numberSpellingRows,
	duplicateRows,
	headerRows,
	encodingRows,
	absentRows,
	unknownRows,
	nameRows,
	typeRows,
	arrayRows,
	swapRows,
	escapeRows,
	unicodeRows,
	textRows,
	syntaxRows,
	querySpellingRows,
	pathRows,
	valueRows,
)
