package rewrite

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// respell writes the characters of a string literal anew: change gets each character with its present spelling and returns
// another one, or "" to keep it. ok tells whether anything changed.
func respell(literal string, change func(char rune, spelling string) string) (out string, ok bool) {
	var b strings.Builder
	b.WriteByte('"')
	for rest := literal[1 : len(literal)-1]; rest != ""; {
		char, size := nextChar(rest)
		spelling := rest[:size]
		if other := change(char, spelling); other != "" && other != spelling {
			spelling, ok = other, true
		}
		b.WriteString(spelling)
		rest = rest[size:]
	}
	b.WriteByte('"')
	return b.String(), ok
}

var shortEscapes = map[byte]rune{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// nextChar decodes the first character of the inside of a string literal and tells how many bytes spell it. Lone surrogates
// and invalid bytes read as U+FFFD.
func nextChar(s string) (char rune, size int) {
	if s[0] != '\\' {
		return utf8.DecodeRuneInString(s)
	}
	if s[1] != 'u' {
		return shortEscapes[s[1]], 2
	}
	first := hex4(s[2:6])
	if !utf16.IsSurrogate(first) {
		return first, 6
	}
	if len(s) >= 12 && s[6] == '\\' && s[7] == 'u' {
		if char := utf16.DecodeRune(first, hex4(s[8:12])); char != utf8.RuneError {
			return char, 12
		}
	}
	return utf8.RuneError, 6
}

// hex4 reads the four digits of an escape that the parser has already checked.
func hex4(s string) rune {
	n, _ := strconv.ParseUint(s, 16, 16)
	return rune(n)
}

// escape spells a character as one or two \u escapes.
func escape(char rune) string {
	if high, low := utf16.EncodeRune(char); high != utf8.RuneError {
		return fmt.Sprintf(`\u%04x\u%04x`, high, low)
	}
	return fmt.Sprintf(`\u%04x`, char)
}
