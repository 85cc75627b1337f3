package display_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/oncespec/oncespec/scenarios/display"
)

// hostile holds what a page or a terminal must not be given, between letters.
const hostile = "a\x1b[2Jb\u202ec\u2066d\u200fe\x07f\u0085g\ufeffh\U000e0041i\u2028j\xffk\rl"

func TestNothingHiddenIsShown(t *testing.T) {
	t.Parallel()
	for _, show := range []func(string) string{display.Text, display.Line} {
		got := show(hostile)
		if strings.ContainsAny(got, "\x1b\u202e\u2066\u200f\x07\u0085\ufeff\U000e0041\u2028\r") {
			t.Errorf("found %q", got)
		}
		for _, letter := range "abcdefghijkl" {
			if !strings.ContainsRune(got, letter) {
				t.Errorf("%q lost the letter %c", got, letter)
			}
		}
	}
	if got := display.Text("a\n\tb é 日本 👩‍🔬"); got != "a\n\tb é 日本 👩‍🔬" {
		t.Errorf("text is kept, found %q", got)
	}
	if got := display.Line("a\n\tb"); got != "a  b" {
		t.Errorf("a line is one, found %q", got)
	}
}

func TestJSONKeepsItsMeaning(t *testing.T) {
	t.Parallel()
	want := strings.ToValidUTF8(hostile, "?")
	text, err := json.MarshalIndent(map[string]string{"said": want}, "", "\t")
	if err != nil {
		t.Fatal(err)
	}
	shown := display.JSON(text)
	if strings.ContainsAny(string(shown), "\u202e\u2066\u200f\u0085\ufeff\U000e0041") {
		t.Errorf("found %q", shown)
	}
	var got map[string]string
	if err := json.Unmarshal(shown, &got); err != nil || got["said"] != want {
		t.Errorf("expected %q, found %q, %v", want, got["said"], err)
	}
}

func FuzzText(f *testing.F) {
	f.Add(hostile)
	f.Fuzz(func(t *testing.T, s string) {
		for _, show := range []func(string) string{display.Text, display.Line} {
			if once := show(s); show(once) != once {
				t.Errorf("%q is changed again to %q", once, show(once))
			}
		}
	})
}

func ExampleLine() {
	fmt.Println(display.Line("one\ntwo"))
	// Output: one two
}
