package rewrite

import "slices"

// Catalogue returns all rewrites, the likeliest to find a real defect first, so that a run that is cut short has tried those.
func Catalogue() []Rewrite { return slices.Clone(catalogue) }

// Find returns the rewrite of that id.
func Find(id string) (Rewrite, bool) {
	r, ok := byID[id]
	return r, ok
}

var catalogue = slices.Concat(
	queryRows,
	formRows,
	multipartRows,
	leafRows,
	orderRows,
	spaceRows,
	framingRows,
	protocolRows,
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
	formSpellingRows,
	multipartSpellingRows,
	pathRows,
	valueRows,
)

var byID = func() map[string]Rewrite {
	out := make(map[string]Rewrite, len(catalogue))
	for _, r := range catalogue {
		out[r.ID] = r
	}
	return out
}()
