package fingerprint_test

import (
	"errors"
	"math"
	"math/big"
	"strconv"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/oncespec/oncespec/mockapi/fingerprint"
	"pgregory.net/rapid"
)

func TestNumbersOfOneValueHaveOneText(t *testing.T) {
	t.Parallel()
	for want, literals := range map[string][]string{
		"0":                        {"0", "-0", "0.0", "-0.000", "0e5", "0E-5", "-0e999999999999999999999999"},
		"1999":                     {"1999", "1999.0", "1.999e3", "1999e0", "1999E+0", "0.1999e4", "19990e-1", "1999000e-003"},
		"-1999":                    {"-1999", "-1.999E+3"},
		"10.5":                     {"10.5", "10.50", "1.05e1", "105e-1"},
		"2000":                     {"2000", "2e3", "2E+3", "2.000e3"},
		"9007199254740992":         {"9007199254740992", "9007199254740992.0", "9.007199254740992e15"},
		"9007199254740993":         {"9007199254740993", "9007199254740993.000"},
		"9223372036854775808":      {"9223372036854775808"},
		"100000000000000000000":    {"1e20", "100000000000000000000"},
		"123456789012345678901":    {"123456789012345678901"},
		"1.234567890123456789e+30": {"1234567890123456789000000000000"},
		"1e+21":                    {"1e21", "1000000000000000000000"},
		"1e+400":                   {"1e400", "10e399", "0.1e401"},
		"1e+999":                   {"1e999"},
		"1e-400":                   {"1e-400"},
		"0.1":                      {"0.1", "1e-1", "0.10"},
		"0.10000000000000001":      {"0.10000000000000001"},
		"90071992547409.93":        {"90071992547409.93"},
		"90071992547409.931":       {"90071992547409.931"},
		"0.000001":                 {"0.000001", "1e-6"},
		"1e-7":                     {"0.0000001", "1e-7"},
		"1.5e-7":                   {"0.00000015"},
		"1e+1000000000":            {"1e1000000000", "1e+01000000000"},
		"1e-1000000000":            {"1e-1000000000"},
		"1e+999999999999999999":    {"1e999999999999999999", "0.01e1000000000000000001", "10e999999999999999998"},
		"1e-999999999999999999":    {"1e-999999999999999999", "10e-1000000000000000000"},
	} {
		for _, literal := range literals {
			got, err := fingerprint.Number(literal)
			if err != nil || got != want {
				t.Errorf("%s: found %s, %v, expected %s", literal, got, err, want)
			}
		}
	}
}

// The table of RFC 8785, appendix B: float64 bits and the text they have.
func TestNumbersLookAsInRFC8785(t *testing.T) {
	t.Parallel()
	for bits, want := range map[uint64]string{
		0x0000000000000000: "0",
		0x8000000000000000: "0",
		0x0000000000000001: "5e-324",
		0x8000000000000001: "-5e-324",
		0x7fefffffffffffff: "1.7976931348623157e+308",
		0xffefffffffffffff: "-1.7976931348623157e+308",
		0x4340000000000000: "9007199254740992",
		0xc340000000000000: "-9007199254740992",
		0x4430000000000000: "295147905179352830000",
		0x44b52d02c7e14af5: "9.999999999999997e+22",
		0x44b52d02c7e14af6: "1e+23",
		0x44b52d02c7e14af7: "1.0000000000000001e+23",
		0x444b1ae4d6e2ef4e: "999999999999999700000",
		0x444b1ae4d6e2ef4f: "999999999999999900000",
		0x444b1ae4d6e2ef50: "1e+21",
		0x3eb0c6f7a0b5ed8c: "9.999999999999997e-7",
		0x3eb0c6f7a0b5ed8d: "0.000001",
		0x41b3de4355555553: "333333333.3333332",
		0x41b3de4355555555: "333333333.3333333",
		0xbecbf647612f3696: "-0.0000033333333333333333",
		0x43143ff3c1cb0959: "1424953923781206.2",
	} {
		for _, format := range []byte{'e', 'f'} {
			literal := strconv.FormatFloat(math.Float64frombits(bits), format, -1, 64)
			if got, err := fingerprint.Number(literal); err != nil || got != want {
				t.Errorf("%s: found %s, %v, expected %s", literal, got, err, want)
			}
		}
	}
}

func TestFloatsLookAsInRFC8785(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		f := math.Float64frombits(rapid.Uint64().Draw(t, "bits"))
		if math.IsNaN(f) || math.IsInf(f, 0) {
			t.Skip("no JSON number")
		}
		literal := strconv.FormatFloat(f, 'e', -1, 64)
		want := jsontext.Value(literal)
		if err := want.Canonicalize(); err != nil {
			t.Fatal("the library refuses the number")
		}
		if got, err := fingerprint.Number(literal); err != nil || got != string(want) {
			t.Fatalf("found %s, %v, expected %s", got, err, want)
		}
	})
}

func TestNumberRefuses(t *testing.T) {
	t.Parallel()
	for _, literal := range []string{"", "-", "+1", "01", "-01", "1.", ".5", "1.e3", "1e", "1e+", "1e1.5", "0x1", "1_0", " 1", "1 ", "NaN", "Infinity", "1f", "--1", "1e--1"} {
		_, err := fingerprint.Number(literal)
		var e *fingerprint.Error
		if !errors.As(err, &e) || e.Kind != fingerprint.Syntax {
			t.Errorf("%q: expected a syntax error, found %v", literal, err)
		}
	}
	for _, literal := range []string{"1e1000000000000000000", "10e999999999999999999", "1e-1000000000000000000", "0.1e-999999999999999999", "1e9223372036854775807", "-1e-9223372036854775808", "1e" + strings.Repeat("9", 100_000)} {
		_, err := fingerprint.Number(literal)
		var e *fingerprint.Error
		if !errors.As(err, &e) || e.Kind != fingerprint.NumberRange {
			t.Errorf("%.30q: expected a range error, found %v", literal, err)
		}
	}
}

// Neighbours are drawn in pairs: independent numbers hardly ever meet.
func TestNumberTellsNeighboursApart(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a := rapid.StringMatching(`-?(0|[1-9][0-9]{0,30})(\.[0-9]{1,25})?([eE][+-]?[0-9]{1,3})?`).Draw(t, "a")
		b := rapid.OneOf(
			rapid.Just(a),
			rapid.Map(rapid.SampledFrom([]rune("0123456789")), func(r rune) string { return replaceLastMantissaDigit(a, string(r)) }),
			rapid.StringMatching(`-?(0|[1-9][0-9]{0,3})(\.[0-9]{1,3})?([eE][+-]?[0-9])?`),
		).Draw(t, "b")
		na, errA := fingerprint.Number(a)
		nb, errB := fingerprint.Number(b)
		if errA != nil || errB != nil {
			t.Fatal("refused a JSON number")
		}
		if (na == nb) != (rational(a).Cmp(rational(b)) == 0) {
			t.Fatal("equal texts for different values, or different texts for equal ones")
		}
		if rational(na).Cmp(rational(a)) != 0 {
			t.Fatal("the canonical text has another value")
		}
	})
}

// FuzzNumber checks the parser against the JSON library's grammar and, where the exponent is small, against rationals.
func FuzzNumber(f *testing.F) {
	for _, seed := range []string{"0", "-0", "1999.0", "1.999e3", "1e400", "9007199254740993", "1e1000000000", "0e99999999999999999999", "01", "1.", "-", "1e+", "12345678901234567890123.456e-7"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, literal string) {
		value := jsontext.Value(literal)
		valid := value.IsValid() && value.Kind() == '0' && strings.Trim(literal, " \t\r\n") == literal
		text, err := fingerprint.Number(literal)
		if err != nil {
			var e *fingerprint.Error
			if !errors.As(err, &e) || valid && e.Kind != fingerprint.NumberRange || !valid && e.Kind != fingerprint.Syntax {
				t.Fatalf("%q is a JSON number: %v, but the error is %v", literal, valid, err)
			}
			return
		}
		if !valid {
			t.Fatalf("%q is no JSON number, but was read as %s", literal, text)
		}
		if again, err := fingerprint.Number(text); err != nil || again != text {
			t.Fatalf("%q gave %s, which gave %s, %v", literal, text, again, err)
		}
		if len(text) > len(literal)+24 {
			t.Fatalf("%q grew to %s", literal, text)
		}
		if _, exponent, _ := strings.Cut(strings.ToLower(literal), "e"); len(exponent) < 5 && len(literal) < 200 && rational(literal).Cmp(rational(text)) != 0 {
			t.Fatalf("%q became %s, another value", literal, text)
		}
	})
}

func rational(literal string) *big.Rat {
	r, ok := new(big.Rat).SetString(literal)
	if !ok {
		panic("no rational: " + literal)
	}
	return r
}

func replaceLastMantissaDigit(literal, digit string) string {
	mantissa, exponent := literal, ""
	if i := strings.IndexAny(literal, "eE"); i >= 0 {
		mantissa, exponent = literal[:i], literal[i:]
	}
	if strings.TrimLeft(mantissa, "-") == "0" {
		return "1" + exponent
	}
	if n := len(strings.TrimLeft(mantissa, "-")); n == 1 && digit == "0" {
		return "0" + exponent
	}
	return mantissa[:len(mantissa)-1] + digit + exponent
}
