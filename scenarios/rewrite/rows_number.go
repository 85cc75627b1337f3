package rewrite

import (
	"strconv"
	"strings"
)

const (
	sourceNumber    = "RFC 8259, 6: numbers are decimal texts; their precision is not limited"
	sourcePractice  = "general practice: both spell one exact decimal (RFC 8259, 6, names no type)"
	sourceInterop   = "RFC 8259, 6: an implementation may lack the range; it may not take one number for another"
	numberWithFree  = "number without bounds that may change"
	decimalWithFree = "decimal number without bounds that may change"
)

// number/* holds neighbours that binary floating point merges, and spellings that it does not tell apart either.
var numberRows = []Rewrite{
	neighbour("number/beyond-2^53", "An integer beyond 2^53 is one more.", "9007199254740992", "9007199254740993", numberWithFree),
	neighbour("number/beyond-2^63", "An integer just below 2^63 is one more.", "9223372036854775806", "9223372036854775807", numberWithFree),
	neighbour("number/30-digits", "An integer of thirty digits is one more.", "100000000000000000000000000000", "100000000000000000000000000001", numberWithFree),
	neighbour("number/long-decimal", "A decimal differs in its seventeenth place.", "0.1", "0.10000000000000001", decimalWithFree),
	neighbour("number/long-amount", "An amount of many digits has one more decimal place that is not zero.", "90071992547409.93", "90071992547409.931", decimalWithFree),
	outOfRange("number/out-of-range", "A number beyond the range of floating point is another one.", "1e400", number("1e999"), &Node{Kind: Null, Text: "null"}),
	outOfRange("number/underflow", "A number closer to zero than floating point can tell is zero.", "1e-400", number("0")),
}

func neighbour(id, sentence, a, b, needs string) Rewrite {
	return Rewrite{
		ID: id, Sentence: sentence,
		Class: Different, Part: Body, Source: sourceNumber, Needs: needs,
		act: inBody{fits: spelt(a), needs: changes, plant: a, edit: func(e *edit) bool { return e.pick(number(b)) }},
	}
}

func outOfRange(id, sentence, a string, b ...*Node) Rewrite {
	return Rewrite{
		ID: id, Sentence: sentence,
		Class: Different, Part: Body, Source: sourceInterop, Needs: "decimal number without bounds that may change",
		act: inBody{fits: spelt(a), needs: changes, plant: a, edit: func(e *edit) bool { return e.pick(clones(b)...) }},
	}
}

var numberSpellingRows = []Rewrite{
	respelt("number/integer-spelling", "An integer is written with .0.", `1999`, "integer", func(lit string) (string, bool) {
		return lit + ".0", plainInteger(lit)
	}),
	respelt("number/integer-exponent", "An integer is written with an exponent.", `1999`, "integer other than zero", func(lit string) (string, bool) {
		sign, digits, _ := splitNumber(lit)
		significant := strings.TrimRight(digits, "0")
		if !plainInteger(lit) || significant == "" {
			return "", false
		}
		out := sign + significant[:1]
		if len(significant) > 1 {
			out += "." + significant[1:]
		}
		return out + "e" + strconv.Itoa(len(digits)-1), true
	}),
	respelt("number/exponent-spelling", "An exponent is written with a capital E and a plus sign.", `2e3`, "number with an exponent", func(lit string) (string, bool) {
		sign, mantissa, exponent := splitNumber(lit)
		switch {
		case exponent == "":
			return "", false
		case exponent[0] == '+':
			exponent = exponent[1:]
		case exponent[0] != '-':
			exponent = "+" + exponent
		}
		mark := "E"
		if strings.Contains(lit, "E") {
			mark = "e"
		}
		return sign + mantissa + mark + exponent, true
	}),
	respelt("number/trailing-zero", "A decimal has one more zero at its end.", `10.5`, "decimal", func(lit string) (string, bool) {
		return lit + "0", strings.Contains(lit, ".") && !strings.ContainsAny(lit, "eE")
	}),
	{
		ID: "number/negative-zero", Sentence: "Zero is written as -0.",
		Class: ByContract, Part: Body, Source: "RFC 8259, 6: -0 is a number; whether it differs from 0 is not said", Needs: "zero, and no free-form object",
		act: inBody{fits: spelt("0"), plant: `0`, edit: func(e *edit) bool { return e.become(number("-0")) }},
	},
}

// respelt is a row that writes the same exact number another way.
func respelt(id, sentence, plant, needs string, spell func(string) (string, bool)) Rewrite {
	return Rewrite{
		ID: id, Sentence: sentence,
		Class: SameByPractice, Part: Body, Source: sourcePractice, Needs: needs,
		act: inBody{
			fits: func(_ *Sample, p place) bool {
				if p.node.Kind != Number {
					return false
				}
				_, ok := spell(p.node.Text)
				return ok
			},
			plant: plant,
			edit: func(e *edit) bool {
				other, ok := spell(e.node.Text)
				return ok && e.become(number(other))
			},
		},
	}
}
