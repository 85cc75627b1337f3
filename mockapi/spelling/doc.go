// Package spelling finds the word that a misspelt one was probably meant to be, for every "did you mean".
//
// It knows words only. There is one function: Nearest.
package spelling
