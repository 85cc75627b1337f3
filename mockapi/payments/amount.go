package payments

import (
	"errors"
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// maxDigits bounds an amount, so that 1e999999999 costs nothing to refuse.
const maxDigits = 1000

// Amount is a whole number of minor units, exact at any size. The zero value is 0.
type Amount struct{ units big.Int }

var errNoInteger = errors.New("expected a whole number of minor units")

// ParseAmount reads a JSON number in any spelling of a whole number: 1999, 1999.0 and 1.999e3 are one amount.
func ParseAmount(number string) (Amount, error) {
	if value := jsontext.Value(number); !value.IsValid() || value.Kind() != '0' {
		return Amount{}, fmt.Errorf("%w, found %q", errNoInteger, number)
	}
	mantissa, power, _ := strings.Cut(strings.ToLower(number), "e")
	exponent := 0
	if power != "" {
		var err error
		if exponent, err = strconv.Atoi(power); err != nil || max(exponent, -exponent) > maxDigits {
			return Amount{}, fmt.Errorf("%w of at most %d digits", errNoInteger, maxDigits)
		}
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	fraction = strings.TrimRight(fraction, "0")
	digits := whole + fraction
	for exponent -= len(fraction); exponent < 0 && strings.HasSuffix(digits, "0"); exponent++ {
		digits = digits[:len(digits)-1]
	}
	if digits == "" || digits == "-" {
		return Amount{}, nil
	}
	if exponent < 0 {
		return Amount{}, errNoInteger
	}
	digits += strings.Repeat("0", exponent)
	if len(digits) > maxDigits {
		return Amount{}, fmt.Errorf("%w of at most %d digits", errNoInteger, maxDigits)
	}
	var a Amount
	if _, ok := a.units.SetString(digits, 10); !ok {
		return Amount{}, fmt.Errorf("%w, found %q", errNoInteger, number)
	}
	return a, nil
}

// UnmarshalJSON accepts a JSON number and nothing else.
func (a *Amount) UnmarshalJSON(text []byte) (err error) {
	*a, err = ParseAmount(string(text))
	return err
}

// MarshalJSON writes all digits.
func (a Amount) MarshalJSON() ([]byte, error) { return []byte(a.units.String()), nil }

// IsPositive tells whether there is anything to pay.
func (a Amount) IsPositive() bool { return a.units.Sign() > 0 }

// Minus is what is left after paying b.
func (a Amount) Minus(b Amount) (left Amount) {
	left.units.Sub(&a.units, &b.units)
	return left
}

// String is the number with all digits.
func (a Amount) String() string { return a.units.String() }
