package payments_test

import (
	"math/big"
	"strings"
	"testing"

	"github.com/oncespec/oncespec/mockapi/payments"
)

func TestParseAmount(t *testing.T) {
	t.Parallel()
	for number, want := range map[string]string{ // "" = refused
		"1999": "1999", "1999.0": "1999", "1.999e3": "1999", "1.999E+3": "1999", "199900e-2": "1999",
		"0": "0", "-0": "0", "0.0e5": "0", "-0e-1": "0", "-5": "-5",
		"9007199254740993": "9007199254740993", "123456789012345678901234567890": "123456789012345678901234567890",
		"19.99": "", "1e-1": "", "1e400": "1" + strings.Repeat("0", 400), "1e999999999999999999999": "", "1e5000": "",
	} {
		t.Run(number, func(t *testing.T) {
			t.Parallel()
			got, err := payments.ParseAmount(number)
			switch {
			case want == "" && err == nil:
				t.Errorf("got %s, want a refusal", got)
			case want != "" && (err != nil || got.String() != want):
				t.Errorf("got %s, %v, want %s", got, err, want)
			}
		})
	}
}

func FuzzParseAmount(f *testing.F) {
	for _, seed := range []string{`1999`, `1.999e3`, `-0.0`, `1e400`, `"1"`, `100e-2`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var got payments.Amount
		if err := got.UnmarshalJSON([]byte(text)); err != nil {
			return
		}
		want, ok := new(big.Rat).SetString(text)
		if !ok || !want.IsInt() || want.Num().String() != got.String() {
			t.Errorf("%q was read as %s", text, got)
		}
	})
}
