package rewrite

import (
	"math/big"
	"strings"
)

// decimal is an exact number: 0.digits * 10^scale. Digits have no leading and no trailing zero; zero has none at all.
type decimal struct {
	sign   int // -1, 0, +1
	digits string
	scale  *big.Int // exponents of any length are legal JSON
}

// readNumber reads a valid JSON number literal. Negative zero is zero.
func readNumber(literal string) decimal {
	sign, mantissa, exponent := splitNumber(literal)
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits := whole + fraction
	significant := strings.TrimLeft(digits, "0")
	if significant == "" {
		return decimal{}
	}
	scale := new(big.Int)
	if exponent != "" {
		scale.SetString(exponent, 10)
	}
	leading := len(digits) - len(significant)
	scale.Add(scale, big.NewInt(int64(len(whole)-leading)))
	d := decimal{sign: 1, digits: strings.TrimRight(significant, "0"), scale: scale}
	if sign == "-" {
		d.sign = -1
	}
	return d
}

// splitNumber takes a literal apart: "-" or nothing, digits with perhaps a point, exponent with perhaps a sign.
func splitNumber(literal string) (sign, mantissa, exponent string) {
	mantissa, negative := strings.CutPrefix(literal, "-")
	if negative {
		sign = "-"
	}
	if at := strings.IndexAny(mantissa, "eE"); at >= 0 {
		mantissa, exponent = mantissa[:at], mantissa[at+1:]
	}
	return sign, mantissa, exponent
}

// compareNumbers orders two number literals by their exact values: -1, 0 or +1.
func compareNumbers(a, b string) int {
	if a == b {
		return 0
	}
	x, y := readNumber(a), readNumber(b)
	switch {
	case x.sign != y.sign && x.sign < y.sign:
		return -1
	case x.sign != y.sign:
		return 1
	case x.sign == 0:
		return 0
	}
	order := x.scale.Cmp(y.scale)
	if order == 0 {
		order = strings.Compare(x.digits, y.digits) // both are fractions, so text order is number order
	}
	return order * x.sign
}

// plainInteger tells whether a literal has neither point nor exponent.
func plainInteger(literal string) bool { return !strings.ContainsAny(literal, ".eE") }

// step adds units of the last written place: 1999 → 2000, 10.50 → 10.51, 2e3 → 3e3. The exponent stays as written.
func step(literal string, units int64) string {
	sign, mantissa, _ := splitNumber(literal)
	exponent := literal[len(sign)+len(mantissa):]
	whole, fraction, _ := strings.Cut(mantissa, ".")
	value, _ := new(big.Int).SetString(sign+whole+fraction, 10)
	value.Add(value, big.NewInt(units))
	digits := new(big.Int).Abs(value).String()
	if missing := len(fraction) + 1 - len(digits); missing > 0 {
		digits = strings.Repeat("0", missing) + digits
	}
	out := digits
	if fraction != "" {
		at := len(digits) - len(fraction)
		out = digits[:at] + "." + digits[at:]
	}
	if value.Sign() < 0 {
		out = "-" + out
	}
	return out + exponent
}
