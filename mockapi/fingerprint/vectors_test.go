package fingerprint_test

import (
	"archive/zip"
	"bytes"
	"io"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/oncespec/oncespec/mockapi/fingerprint"
)

// TestRFC8785Vectors holds the canonical form to the published pairs. Where it differs it does so on purpose, in numbers
// that their authors read as float64.
func TestRFC8785Vectors(t *testing.T) {
	t.Parallel()
	inputs, err := filepath.Glob("testdata/rfc8785/*.input.json")
	if err != nil || len(inputs) != 6 {
		t.Fatalf("expected 6 pairs, found %d (%v)", len(inputs), err)
	}
	for _, input := range inputs {
		t.Run(strings.TrimSuffix(filepath.Base(input), ".input.json"), func(t *testing.T) {
			t.Parallel()
			body := file(t, input)
			want := file(t, strings.Replace(input, ".input.", ".output.", 1))
			// Their 333333333.33333329 is read as a float64 and loses its last digit. Here that digit counts.
			want = bytes.Replace(want, []byte("333333333.3333333,"), []byte("333333333.33333329,"), 1)
			got, err := fingerprint.Canonical(body)
			if err != nil || !bytes.Equal(got, want) {
				t.Errorf("found    %s (%v)\nexpected %s", got, err, want)
			}
		})
	}
}

func file(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// suite calls do with each file of the public parser suite that lies in folder.
func suite(t *testing.T, folder string, do func(name string, body []byte)) {
	t.Helper()
	archive, err := zip.OpenReader("testdata/JSONTestSuite.zip")
	if err != nil {
		t.Fatal(err)
	}
	defer archive.Close()
	for _, entry := range archive.File {
		name, found := strings.CutPrefix(entry.Name, folder+"/")
		if !found {
			continue
		}
		content, err := entry.Open()
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(content)
		if err != nil {
			t.Fatal(err)
		}
		do(name, body)
	}
}

// TestParsingSuite: what every parser must take has a canonical form that is its own canonical form, unless it is one of the
// three kinds that RFC 8785 presumes away; what every parser must refuse has none.
func TestParsingSuite(t *testing.T) {
	t.Parallel()
	presumed := map[string]fingerprint.Kind{
		"y_object_duplicated_key.json":           fingerprint.DuplicateName,
		"y_object_duplicated_key_and_value.json": fingerprint.DuplicateName,
	}
	counted := map[byte]int{}
	suite(t, "test_parsing", func(name string, body []byte) {
		counted[name[0]]++
		got, err := fingerprint.Canonical(body)
		switch name[0] {
		case 'y':
			if kind, found := presumed[name]; found {
				if e, ok := err.(*fingerprint.Error); !ok || e.Kind != kind {
					t.Errorf("%s: expected the kind %q, found %v", name, kind, err)
				}
				return
			}
			again, second := fingerprint.Canonical(got)
			if err != nil || second != nil || !bytes.Equal(got, again) {
				t.Errorf("%s: found %s (%v), and of that %s (%v)", name, got, err, again, second)
			}
		case 'n':
			if err == nil {
				t.Errorf("%s: expected an error, found %.80s", name, got)
			}
		}
		if _, ok := err.(*fingerprint.Error); err != nil && !ok {
			t.Errorf("%s: expected a *fingerprint.Error, found %T", name, err)
		}
	})
	if counted['y'] != 95 || counted['n'] != 188 || counted['i'] != 35 {
		t.Errorf("expected 95 files to take, 188 to refuse and 35 undecided, found %v", counted)
	}
}

// TestUndecidedSuite pins down what we do where the parser suite leaves it open.
func TestUndecidedSuite(t *testing.T) {
	t.Parallel()
	counted := map[fingerprint.Kind]int{}
	suite(t, "test_parsing", func(name string, body []byte) {
		if name[0] != 'i' {
			return
		}
		_, err := fingerprint.Canonical(body)
		if e, ok := err.(*fingerprint.Error); ok {
			counted[e.Kind]++
		}
	})
	want := map[fingerprint.Kind]int{
		fingerprint.InvalidUTF8: 11, fingerprint.LoneSurrogate: 10, fingerprint.NumberRange: 1, // 1e with 100 digits
		fingerprint.Syntax: 3, // UTF-16 twice, and a byte order mark
	}
	if !maps.Equal(counted, want) {
		t.Errorf("found %v, expected %v; the other 10 have a form", counted, want)
	}
}

// TestTransformSuite: documents that careless readers merge stay apart.
func TestTransformSuite(t *testing.T) {
	t.Parallel()
	forms := map[string]string{}
	suite(t, "test_transform", func(name string, body []byte) {
		got, err := fingerprint.Canonical(body)
		refused := strings.Contains(name, "invalid_codepoint") || strings.Contains(name, "object_same_key")
		if refused != (err != nil) {
			t.Errorf("%s: found %s (%v)", name, got, err)
		}
		if err != nil {
			return
		}
		if other, found := forms[string(got)]; found && !strings.Contains(name, "object_key_nf") {
			t.Errorf("%s and %s have one form: %s", name, other, got)
		}
		forms[string(got)] = name
	})
	for _, name := range []string{"[9223372036854775807]", "[9223372036854775808]", "[-9223372036854775809]", "[1.000000000000000005]", "[1e-999]"} {
		if _, found := forms[name]; !found {
			t.Errorf("expected the form %s among %v", name, forms)
		}
	}
}

// TestNumbersOfDoubles: every float64, in the text that ECMAScript gives it, is its own canonical form, as RFC 8785 asks. The
// numbers are those edges that the RFC's appendix is about, and a seeded sample of all bit patterns.
func TestNumbersOfDoubles(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(8785, 1))
	for i := range 200_000 {
		bits := random.Uint64()
		switch i % 4 {
		case 1: // near integers
			bits = math.Float64bits(float64(int64(bits >> 11)))
		case 2: // near powers of ten
			bits = math.Float64bits(math.Pow10(int(bits%600)-300)) + uint64(i%16) - 8
		case 3: // subnormal
			bits >>= 12
		}
		number := math.Float64frombits(bits)
		if math.IsNaN(number) || math.IsInf(number, 0) {
			continue
		}
		value := jsontext.Value(strconv.FormatFloat(number, 'g', -1, 64))
		if err := value.Canonicalize(); err != nil {
			t.Fatal(err)
		}
		got, err := fingerprint.Number(string(value))
		if err != nil || got != string(value) {
			t.Fatalf("%x: found %s (%v), expected %s", bits, got, err, value)
		}
	}
}
