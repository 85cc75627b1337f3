package fingerprint

import (
	"fmt"
	"strconv"
	"strings"
)

// MaxExponent bounds the numbers that have a canonical form: the exponent that they have with one digit before the point is
// at most this, and at least its negative.
const MaxExponent = 999_999_999_999_999_999

// Number returns the canonical text of a JSON number: its exact decimal value as RFC 8785 would lay it out. Two literals
// have one canonical text exactly if they have one value. It fails with an Error for what is no JSON number, and for a
// number other than zero beyond MaxExponent.
func Number(literal string) (string, error) {
	negative, digits, point, err := parseNumber(literal)
	if err != nil {
		return "", err
	}
	return string(appendDecimal(make([]byte, 0, len(literal)+8), negative, digits, point)), nil
}

// parseNumber reads ±0.digits × 10^point. Digits begin and end with another digit than 0; those of zero are empty.
func parseNumber(literal string) (negative bool, digits string, point int64, err error) {
	rest, negative := strings.CutPrefix(literal, "-")
	whole, rest := cutDigits(rest)
	if whole == "" || len(whole) > 1 && whole[0] == '0' {
		return false, "", 0, notANumber(literal)
	}
	digits = whole
	if after, found := strings.CutPrefix(rest, "."); found {
		var fraction string
		if fraction, rest = cutDigits(after); fraction == "" {
			return false, "", 0, notANumber(literal)
		}
		digits += fraction
	}
	exponent, negativeExponent := "", false
	if rest != "" {
		if rest[0] != 'e' && rest[0] != 'E' {
			return false, "", 0, notANumber(literal)
		}
		rest = rest[1:]
		if rest != "" && (rest[0] == '+' || rest[0] == '-') {
			negativeExponent, rest = rest[0] == '-', rest[1:]
		}
		if exponent, rest = cutDigits(rest); exponent == "" || rest != "" {
			return false, "", 0, notANumber(literal)
		}
	}
	significant := strings.TrimLeft(digits, "0")
	point = int64(len(whole) - (len(digits) - len(significant)))
	significant = strings.TrimRight(significant, "0")
	if significant == "" {
		return false, "", 0, nil // minus zero is zero, whatever its exponent
	}
	if exponent = strings.TrimLeft(exponent, "0"); exponent != "" {
		// An exponent of twice the bound is out of reach of all the digits that fit into memory, and far from overflow.
		power, err := strconv.ParseInt(exponent, 10, 64)
		power = min(power, 2*MaxExponent)
		if err != nil {
			power = 2 * MaxExponent
		}
		if negativeExponent {
			power = -power
		}
		point += power
	}
	if point-1 > MaxExponent || point-1 < -MaxExponent {
		return false, "", 0, &Error{Kind: NumberRange, Detail: fmt.Sprintf("expected a number between 1e-%d and 1e+%[1]d, or zero", int64(MaxExponent))}
	}
	return negative, significant, point, nil
}

func cutDigits(s string) (digits, rest string) {
	n := 0
	for n < len(s) && '0' <= s[n] && s[n] <= '9' {
		n++
	}
	return s[:n], s[n:]
}

func notANumber(literal string) *Error {
	if len(literal) > 40 {
		literal = literal[:40] + "…"
	}
	return &Error{Kind: Syntax, Detail: fmt.Sprintf("expected a JSON number, found %q", literal)}
}

// appendDecimal lays a number out like ECMAScript's Number::toString, which RFC 8785 refers to, for any count of digits: plain
// up to 21 places, from a millionth up; with an exponent beyond.
func appendDecimal(dst []byte, negative bool, digits string, point int64) []byte {
	if digits == "" {
		return append(dst, '0')
	}
	if negative {
		dst = append(dst, '-')
	}
	count := int64(len(digits))
	switch {
	case count <= point && point <= 21:
		dst = append(dst, digits...)
		return appendZeros(dst, point-count)
	case 0 < point && point <= 21:
		dst = append(dst, digits[:point]...)
		dst = append(dst, '.')
		return append(dst, digits[point:]...)
	case -6 < point && point <= 0:
		dst = append(dst, "0."...)
		return append(appendZeros(dst, -point), digits...)
	}
	dst = append(dst, digits[0])
	if count > 1 {
		dst = append(dst, '.')
		dst = append(dst, digits[1:]...)
	}
	dst = append(dst, 'e')
	if point > 0 {
		dst = append(dst, '+')
	}
	return strconv.AppendInt(dst, point-1, 10)
}

func appendZeros(dst []byte, n int64) []byte {
	for range n {
		dst = append(dst, '0')
	}
	return dst
}
