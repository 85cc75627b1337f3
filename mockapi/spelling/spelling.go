package spelling

import (
	"strings"

	"github.com/agnivade/levenshtein"
)

const (
	// shortWord is up to which length a word is so easily reached that its first letter has to be right: id is no misspelt dir.
	shortWord = 4
	// shortestHead is from which length the head of a word stands for it: "ref" for refuse.
	shortestHead = 3
)

// Nearest is the word of the list that a misspelt one is probably meant to be, or empty: a third of its letters may be wrong,
// two in any case, and letter case does not count.
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
	return best
}
