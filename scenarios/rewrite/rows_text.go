package rewrite

import (
	"fmt"
	"strings"

	"golang.org/x/text/unicode/norm"
)

const (
	sourceEscape = "RFC 8259, 7 and 8.3: any character may be escaped; the string stays the same"
	sourceText   = "RFC 8259, 8.3: strings are compared code unit by code unit"
	sourceBroken = "RFC 8259, 8.2: what a reader makes of it is unpredictable; it may not be taken for another string"
)

// escape/* spells a string another way.
var escapeRows = []Rewrite{
	escaped("escape/ascii", "A letter is written as an escape.", `"a"`, "string with an ASCII letter", func(c rune, now string) string {
		if len(now) == 1 && hasLetter(now) {
			return escape(c)
		}
		return ""
	}),
	escaped("escape/latin", "An accented letter is written as an escape.", "\"\u00e9\"", "string with an accented Latin letter", func(c rune, now string) string {
		if 0xC0 <= c && c <= 0x24F && now[0] != '\\' {
			return escape(c)
		}
		return ""
	}),
	escaped("escape/surrogate-pair", "A character beyond U+FFFF is written as two escapes.", "\"\U0001f600\"", "string with a character beyond U+FFFF", func(c rune, now string) string {
		if c > 0xFFFF && now[0] != '\\' {
			return escape(c)
		}
		return ""
	}),
	escaped("escape/slash", "A slash is written with a backslash before it.", `"a/b"`, "string with a slash", func(_ rune, now string) string {
		if now == "/" {
			return `\/`
		}
		return ""
	}),
	escaped("escape/hex-case", "The digits of an escape are written in the other case.", `"\u00e9"`, "string with an escape", func(c rune, now string) string {
		if !strings.HasPrefix(now, `\u`) {
			return ""
		}
		if upper := strings.ReplaceAll(strings.ToUpper(now), `\U`, `\u`); upper != now {
			return upper
		}
		return strings.ToLower(now)
	}),
	escaped("escape/newline", "A line feed is written as \\u000a.", `"a\nb"`, "string with a line feed", func(_ rune, now string) string {
		if now == `\n` {
			return escape('\n')
		}
		return ""
	}),
	escaped("escape/html", "Angle brackets and ampersands are written as escapes.", `"<b>&"`, "string with <, > or &", func(c rune, now string) string {
		if strings.Contains("<>&", now) {
			return escape(c)
		}
		return ""
	}),
	escaped("escape/u2028", "A line separator is written as an escape.", "\"a\u2028b\"", "string with U+2028 or U+2029", func(c rune, now string) string {
		if (c == 0x2028 || c == 0x2029) && now[0] != '\\' {
			return escape(c)
		}
		return ""
	}),
	{
		ID: "escape/in-name", Sentence: "A letter of a member's name is written as an escape.",
		Class: Same, Part: Body, Source: sourceEscape, Needs: "member whose name has a letter",
		act: inBody{fits: func(_ *Sample, p place) bool { return isMember(p) && hasLetter(p.parent.Members[p.index].Key()) },
			edit: func(e *edit) bool {
				other, ok := respellOne(e.name(), e.choice, func(c rune, now string) string {
					if len(now) == 1 && hasLetter(now) {
						return escape(c)
					}
					return ""
				})
				e.parent.Members[e.index].Name = other
				return ok
			}},
	},
}

// escaped is a row that spells one string another way; change gives a character's other spelling, or "".
func escaped(id, sentence, plant, needs string, change func(c rune, now string) string) Rewrite {
	return Rewrite{
		ID: id, Sentence: sentence,
		Class: Same, Part: Body, Source: sourceEscape, Needs: needs,
		act: inBody{
			fits: func(_ *Sample, p place) bool {
				if p.node.Kind != String {
					return false
				}
				_, ok := respell(p.node.Text, change)
				return ok
			},
			plant: plant,
			edit: func(e *edit) bool {
				other, ok := respellOne(e.node.Text, e.choice, change)
				return ok && e.become(&Node{Kind: String, Text: other})
			},
		},
	}
}

// respellOne changes all characters that change would (choice 0), or only the choice-th of them.
func respellOne(literal string, choice int, change func(rune, string) string) (string, bool) {
	count := 0
	all, ok := respell(literal, func(c rune, now string) string {
		other := change(c, now)
		if other != "" && other != now {
			count++
		}
		return other
	})
	if !ok || choice == 0 {
		return all, ok
	}
	wanted, seen := choice%count, -1
	return respell(literal, func(c rune, now string) string {
		other := change(c, now)
		if other == "" || other == now {
			return ""
		}
		if seen++; seen != wanted {
			return ""
		}
		return other
	})
}

// text/* changes a string in ways that the eye or a tolerant comparison misses.
var textRows = []Rewrite{
	retext("text/trailing-space", "A string has a space at its end.", `"a"`, "string that may change", true, func(s string) string { return s + " " }),
	retext("text/inner-space", "Two words are parted by two spaces.", `"a b"`, "string with a space that may change", true, func(s string) string { return strings.Replace(s, " ", "  ", 1) }),
	retext("text/nbsp", "A space is a no-break space.", `"a b"`, "string with a space that may change", true, func(s string) string { return strings.Replace(s, " ", "\u00a0", 1) }),
	retext("text/zero-width", "A string has a zero-width space in it.", `"ab"`, "string of two or more letters that may change", true, func(s string) string {
		if len(s) < 2 || s[1] >= 0x80 || s[0] >= 0x80 {
			return s
		}
		return s[:1] + "\u200b" + s[1:]
	}),
	retext("text/homoglyph", "A Latin letter is a Cyrillic one that looks like it.", `"a"`, "string with a letter such as a, e or o that may change", false, func(s string) string {
		at := strings.IndexAny(s, "aceopxy")
		if at < 0 {
			return s
		}
		return s[:at] + map[byte]string{'a': "\u0430", 'c': "\u0441", 'e': "\u0435", 'o': "\u043e", 'p': "\u0440", 'x': "\u0445", 'y': "\u0443"}[s[at]] + s[at+1:]
	}),
	retext("text/nul-suffix", "A string ends with a NUL character.", `"a"`, "string that may change", true, func(s string) string { return s + "\x00" }),
	broken("text/lone-surrogate", "A replacement character is half a surrogate pair.", `"\ud800"`),
	broken("text/invalid-utf8", "A replacement character is a byte that is no UTF-8.", "\"\xff\""),
}

func retext(id, sentence, plant, needs string, confirm bool, change func(string) string) Rewrite {
	return Rewrite{
		ID: id, Sentence: sentence,
		Class: Different, Part: Body, Source: sourceText, Needs: needs, Confirm: confirm,
		act: inBody{fits: isText(func(s string) bool { return change(s) != s }), needs: changes, plant: plant,
			edit: func(e *edit) bool { return e.pick(text(change(unquote(e.node.Text)))) }},
	}
}

// broken is a string that lenient decoders turn into U+FFFD, which A really holds.
func broken(id, sentence, literal string) Rewrite {
	return Rewrite{
		ID: id, Sentence: sentence,
		Class: Different, Part: Body, Source: sourceBroken, Needs: "string that may change freely",
		act: inBody{needs: changes, plant: fmt.Sprintf("%q", "\ufffd"), edit: func(e *edit) bool { return e.become(&Node{Kind: String, Text: literal}) }},
	}
}

// unicode/* writes a character as a letter and a combining mark.
var unicodeRows = []Rewrite{
	{
		ID: "unicode/nfd-value", Sentence: "An accented letter is a letter and a combining mark.",
		Class: ByContract, Decides: ByNormalisation, Part: Body, Source: "RFC 8259, 8.3 does not ask for normalisation (UAX #15)", Needs: "string with an accented letter that may change",
		act: inBody{fits: isText(decomposes), needs: changes, plant: "\"\u00e9\"",
			edit: func(e *edit) bool { return e.pick(text(norm.NFD.String(unquote(e.node.Text)))) }},
	},
	{
		ID: "unicode/nfd-name", Sentence: "An accented letter of a member's name is a letter and a combining mark.",
		Class: ByContract, Decides: ByNormalisation, Part: Body, Source: "RFC 8259, 8.3 does not ask for normalisation (UAX #15)", Needs: "member whose name has an accented letter, and no free-form object",
		act: inBody{needs: changes, plant: "{\"\u00e9\":1}", below: "/\u00e9", freeOnly: true,
			edit: func(e *edit) bool {
				e.parent.Members[e.index].Name = quote(norm.NFD.String(unquote(e.name())))
				return true
			}},
	},
}

func decomposes(s string) bool { return norm.NFD.String(s) != s }
