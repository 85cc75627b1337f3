package display

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
)

// replacement stands where something was that must not be shown.
const replacement = '\uFFFD'

// Text keeps lines and tabs and replaces control characters, what turns the direction of the text around it, what is not seen
// at all, and what is no text.
func Text(s string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && hidden(r) {
			return replacement
		}
		return r
	}, strings.ToValidUTF8(s, string(replacement)))
}

// Line is Text on one line: what ends a line, and any other control character, becomes a space.
func Line(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsControl(r):
			return ' '
		case hidden(r):
			return replacement
		}
		return r
	}, strings.ToValidUTF8(s, string(replacement)))
}

// JSON escapes the same characters in a JSON text, where they stand inside of strings: its meaning stays.
func JSON(text []byte) []byte {
	s := string(text)
	if !strings.ContainsFunc(s, func(r rune) bool { return r != '\n' && hidden(r) }) {
		return text
	}
	var out strings.Builder
	for _, r := range s {
		switch {
		case r < ' ' || !hidden(r):
			out.WriteRune(r)
		case r > 0xFFFF:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&out, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&out, `\u%04x`, r)
		}
	}
	return []byte(out.String())
}

// hidden tells whether a character acts on what is around it, or is not seen. Joiners are not among them: words of many
// languages are spelled with them.
func hidden(r rune) bool {
	switch {
	case unicode.IsControl(r), r == 0x2028, r == 0x2029: // line and paragraph separator
		return true
	case unicode.Is(unicode.Bidi_Control, r), r == 0xFEFF:
		return true
	case 0xE0000 <= r && r <= 0xE007F: // tags: a text that nobody sees
		return true
	}
	return r == 0xFFFE || r == 0xFFFF
}
