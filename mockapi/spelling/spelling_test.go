package spelling_test

import (
	"fmt"
	"testing"

	"github.com/oncespec/oncespec/mockapi/spelling"
)

func TestNearest(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		found string
		words []string
		want  string
	}{
		{"refsue", []string{"refuse", "execute"}, "refuse"},
		{"REFUSE", []string{"refuse", "execute"}, "refuse"},
		{"exec", []string{"refuse", "execute"}, "execute"},
		{"id", []string{"dir", "key"}, ""},
		{"kye", []string{"dir", "key"}, "key"},
		{"xyz", []string{"refuse", "execute"}, ""},
		{"", []string{"no"}, ""},
		{"no", nil, ""},
		{"float64", []string{"fingerprint-float64-twice", "fingerprint-float64", "expired"}, "fingerprint-float64"},
		{"red", []string{"expired"}, ""},
		{"replay/one-efect", []string{"replay/one-effect", "race/one-effect"}, "replay/one-effect"},
	} {
		if got := spelling.Nearest(tc.found, tc.words); got != tc.want {
			t.Errorf("%q among %q: expected %q, found %q", tc.found, tc.words, tc.want, got)
		}
	}
}

func ExampleNearest() {
	fmt.Println(spelling.Nearest("exceute", []string{"refuse", "execute"}))
	// Output: execute
}
