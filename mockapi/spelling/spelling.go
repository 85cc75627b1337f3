package spelling

import (
	"fmt"
	"strings"

	"github.com/agnivade/levenshtein"
)

const (
	// shortWord is up to which length a word is so easily reached that its first letter has to be right: id is no misspelt dir.
	shortWord = 4
	// shortestHead is from which length the head of a word stands for it: "ref" for refuse.
	shortestHead = 3
	// shortestPiece is from which length any piece of a word does: "float64" for fingerprint-float64.
	shortestPiece = 4
)

// Suggestion is what to say of a misspelt word, behind what is wrong with it: ` (did you mean "X"?)`, or nothing.
func Suggestion(found string, words []string) string {
	if near := Nearest(found, words); near != "" {
		return fmt.Sprintf(" (did you mean %q?)", near)
	}
	return ""
}

// Nearest is the word of the list that a misspelt one is probably meant to be, or empty: a third of its letters may be wrong,
// two in any case, and letter case does not count. Failing that, it is the shortest of which what was typed is a piece.
func Nearest(found string, words []string) string {
	typed := strings.ToLower(found)
	best, distance := "", max(2, len(typed)/3)+1
	for _, word := range words {
		known := strings.ToLower(word)
		if len(typed) >= shortestHead && strings.HasPrefix(known, typed) {
			return word
		}
		d := levenshtein.ComputeDistance(typed, known)
		if d == 2 && len(known) <= shortWord && typed != "" && typed[0] != known[0] {
			continue
		}
		if d < distance && d < len(known) {
			best, distance = word, d
		}
	}
	if best != "" || len(typed) < shortestPiece {
		return best
	}
	for _, word := range words {
		if strings.Contains(strings.ToLower(word), typed) && (best == "" || len(word) < len(best)) {
			best = word
		}
	}
	return best
}
