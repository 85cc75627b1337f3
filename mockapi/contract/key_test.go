package contract_test

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/oncespec/oncespec/mockapi/contract"
)

const someUUID = "8e03978e-40d5-43e8-bc93-6894a57f9324"

func with(k contract.Key) contract.Contract {
	return contract.Contract{Name: "Idempotency-Key", Key: k}
}

func TestEncodeWritesAKeyAsDeclared(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ encoding, key, want string }{
		{"structured-field", "abc", `"abc"`},
		{"structured-field", `a"b\c`, `"a\"b\\c"`},
		{"structured-field", "", `""`},
		{"structured-field", "schlüssel", "schlüssel"},
		{"both", "abc", `"abc"`},
		{"opaque", "abc", "abc"},
		{"", "abc", "abc"},
	} {
		if got := with(contract.Key{Encoding: tc.encoding}).Encode(tc.key); got != tc.want {
			t.Errorf("%s %q: %s, expected %s", tc.encoding, tc.key, got, tc.want)
		}
	}
}

func TestDecodeKey(t *testing.T) {
	t.Parallel()
	structured, opaque, both := contract.Key{Encoding: "structured-field"}, contract.Key{Encoding: "opaque"}, contract.Key{Encoding: "both"}
	for _, tc := range []struct {
		name   string
		k      contract.Key
		fields []string
		want   string
		err    error
	}{
		{"none", structured, nil, "", contract.ErrKeyMissing},
		{"two lines", structured, []string{`"a"`, `"a"`}, "", contract.ErrKeySentTwice},
		{"two bare lines", opaque, []string{"a", "b"}, "", contract.ErrKeySentTwice},
		{"two lines joined on the way", structured, []string{`"a", "b"`}, "", contract.ErrKeyMalformed},
		{"empty field", structured, []string{""}, "", contract.ErrKeyMalformed},
		{"empty string", structured, []string{`""`}, "", contract.ErrKeyMalformed},
		{"quoted", structured, []string{`"abc"`}, "abc", nil},
		{"quoted with white space around", structured, []string{"\t \"abc\" "}, "abc", nil},
		{"escapes", structured, []string{`"a\"b\\c"`}, `a"b\c`, nil},
		{"parameters do not count", structured, []string{`"abc";v=1`}, "abc", nil},
		{"bare", structured, []string{"abc"}, "", contract.ErrKeyMalformed},
		{"bare UUID", structured, []string{someUUID}, "", contract.ErrKeyMalformed},
		{"a number", structured, []string{"12"}, "", contract.ErrKeyMalformed},
		{"unbalanced", structured, []string{`"abc`}, "", contract.ErrKeyMalformed},
		{"text after the string", structured, []string{`"abc"d`}, "", contract.ErrKeyMalformed},
		{"another escape", structured, []string{`"a\nb"`}, "", contract.ErrKeyMalformed},
		{"control character", structured, []string{"\"a\x01b\""}, "", contract.ErrKeyMalformed},
		{"DEL", structured, []string{"\"a\x7fb\""}, "", contract.ErrKeyMalformed},
		{"not ASCII", structured, []string{`"schlüssel"`}, "", contract.ErrKeyMalformed},

		{"opaque", opaque, []string{"abc"}, "abc", nil},
		{"opaque with white space around", opaque, []string{" abc\t"}, "abc", nil},
		{"opaque quotation marks belong to the key", opaque, []string{`"abc"`}, `"abc"`, nil},
		{"opaque unbalanced", opaque, []string{`"abc`}, `"abc`, nil},
		{"opaque empty", opaque, []string{""}, "", contract.ErrKeyMalformed},
		{"opaque control character", opaque, []string{"a\x00b"}, "", contract.ErrKeyMalformed},
		{"opaque not ASCII", opaque, []string{"schlüssel"}, "", contract.ErrKeyMalformed},
		{"opaque not UTF-8", opaque, []string{"a\xff"}, "", contract.ErrKeyMalformed},

		{"both, quoted", both, []string{`"abc"`}, "abc", nil},
		{"both, bare", both, []string{"abc"}, "abc", nil},
		{"both, unbalanced", both, []string{`"abc`}, "", contract.ErrKeyMalformed},
		{"unspecified, quoted", contract.Key{}, []string{`"abc"`}, "abc", nil},
		{"unspecified, bare", contract.Key{}, []string{"abc"}, "abc", nil},

		{"shortest", contract.Key{Encoding: "structured-field", Min: 3}, []string{`"abc"`}, "abc", nil},
		{"too short", contract.Key{Encoding: "structured-field", Min: 4}, []string{`"abc"`}, "", contract.ErrKeyMalformed},
		{"longest, escapes not counted", contract.Key{Encoding: "structured-field", Max: 3}, []string{`"a\"c"`}, `a"c`, nil},
		{"too long", contract.Key{Encoding: "opaque", Max: 3}, []string{"abcd"}, "", contract.ErrKeyMalformed},

		{"uuid", contract.Key{Format: "uuid"}, []string{"6ba7b810-9dad-11d1-80b4-00c04fd430c8"}, "6ba7b810-9dad-11d1-80b4-00c04fd430c8", nil},
		{"uuid keeps its letter case", contract.Key{Format: "uuid"}, []string{strings.ToUpper(someUUID)}, strings.ToUpper(someUUID), nil},
		{"uuid in braces", contract.Key{Format: "uuid"}, []string{"{" + someUUID + "}"}, "", contract.ErrKeyMalformed},
		{"uuid as a URN", contract.Key{Format: "uuid"}, []string{"urn:uuid:" + someUUID}, "", contract.ErrKeyMalformed},
		{"uuid without hyphens", contract.Key{Format: "uuid"}, []string{strings.ReplaceAll(someUUID, "-", "")}, "", contract.ErrKeyMalformed},
		{"no uuid", contract.Key{Format: "uuid"}, []string{"abc"}, "", contract.ErrKeyMalformed},
		{"uuid4", contract.Key{Format: "uuid4"}, []string{someUUID}, someUUID, nil},
		{"uuid1 is no uuid4", contract.Key{Format: "uuid4"}, []string{"6ba7b810-9dad-11d1-80b4-00c04fd430c8"}, "", contract.ErrKeyMalformed},
		{"a uuid4 of another variant", contract.Key{Format: "uuid4"}, []string{"8e03978e-40d5-43e8-0c93-6894a57f9324"}, "", contract.ErrKeyMalformed},
		{"pattern", contract.Key{Format: "pattern", Pattern: "[a-z]+|[0-9]+"}, []string{"abc"}, "abc", nil},
		{"the pattern is the whole key", contract.Key{Format: "pattern", Pattern: "[a-z]+|[0-9]+"}, []string{"abc1"}, "", contract.ErrKeyMalformed},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			got, err := with(tc.k).DecodeKey(tc.fields)
			if got != tc.want || !errors.Is(err, tc.err) {
				t.Errorf("found %q and error %v, expected %q and %v", got, err, tc.want, tc.err)
			}
		})
	}
}

func TestNewKeysAreAcceptable(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name    string
		k       contract.Key
		shapes  string
		longest int
	}{
		{"unspecified", contract.Key{}, "uuid4 random-32 longest", 64},
		{"stripe", contract.Key{Encoding: "opaque", Format: "any", Max: 255}, "uuid4 random-32 longest", 255},
		{"short", contract.Key{Max: 10}, "random-32 longest", 10},
		{"long", contract.Key{Min: 100}, "random-32 longest", 100},
		{"uuid", contract.Key{Format: "uuid"}, "uuid4", 36},
		{"uuid4", contract.Key{Format: "uuid4", Min: 36, Max: 36}, "uuid4", 36},
		{"pattern", contract.Key{Format: "pattern", Pattern: `req_[A-Za-z0-9]{8,40}`}, "random-32 longest", 44},
		{"pattern of long keys", contract.Key{Format: "pattern", Pattern: `[A-Z]{40}`}, "random-32 longest", 40},
		{"pattern without bounds", contract.Key{Format: "pattern", Pattern: `[a-z][a-z-]*`, Max: 48}, "random-32 longest", 48},
		{"pattern with choices", contract.Key{Format: "pattern", Pattern: `(?:ab|cd)+x?.`, Max: 20}, "random-32 longest", 20},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			shapes := tc.k.Shapes()
			names := make([]string, len(shapes))
			seen := map[string]bool{}
			for i, shape := range shapes {
				names[i] = string(shape)
				for seed := range uint64(20) {
					key, err := tc.k.New(shape, source(seed))
					if err != nil {
						t.Fatalf("%s: %v", shape, err)
					}
					if err := tc.k.Check(key); err != nil {
						t.Errorf("%s: %q: %v", shape, key, err)
					}
					if again, _ := tc.k.New(shape, source(seed)); again != key {
						t.Errorf("%s: %q and %q from the same bytes", shape, key, again)
					}
					if shape == contract.ShapeLongest && (len(key) > tc.longest || len(key) < tc.longest-2) {
						t.Errorf("%s: %q has %d characters, expected %d or hardly less", shape, key, len(key), tc.longest)
					}
					if shape == contract.ShapeUUID && uuid.MustParse(key).Version() != 4 {
						t.Errorf("%q is no version-4 UUID", key)
					}
					if tc.name == "unspecified" && shape == contract.ShapeRandom && len(key) != 32 {
						t.Errorf("%q has %d characters, expected 32", key, len(key))
					}
					seen[string(shape)+key] = true
					twin, err := tc.k.Twin(key)
					if err != nil {
						t.Fatalf("twin of %q: %v", key, err)
					}
					if twin == key || len(twin) != len(key) || twin[:len(key)-1] != key[:len(key)-1] || tc.k.Check(twin) != nil {
						t.Errorf("twin of %q is %q", key, twin)
					}
				}
			}
			if got := strings.Join(names, " "); got != tc.shapes {
				t.Errorf("shapes %s, expected %s", got, tc.shapes)
			}
			if len(seen) != 20*len(shapes) {
				t.Errorf("expected %d different keys, found %d", 20*len(shapes), len(seen))
			}
		})
	}
}

func TestNewKeySaysWhyThereIsNone(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name   string
		k      contract.Key
		shape  contract.Shape
		random io.Reader
		want   string
	}{
		{"a dry source", contract.Key{}, contract.ShapeRandom, bytes.NewReader(nil), "random source"},
		{"a dry source for a UUID", contract.Key{}, contract.ShapeUUID, bytes.NewReader(nil), "EOF"},
		{"a dry source for a pattern", contract.Key{Format: "pattern", Pattern: "[a-z]+"}, contract.ShapeRandom, bytes.NewReader(nil), "random source"},
		{"a UUID where it is too long", contract.Key{Max: 10}, contract.ShapeUUID, source(1), "at most 10"},
		{"a pattern longer than allowed", contract.Key{Format: "pattern", Pattern: "[a-z]{9}", Max: 8}, contract.ShapeLongest, source(1), "found no text"},
		{"a pattern that is none", contract.Key{Format: "pattern", Pattern: "("}, contract.ShapeLongest, source(1), "key.pattern"},
	} {
		if key, err := tc.k.New(tc.shape, tc.random); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: found %q and error %v, expected an error that says %q", tc.name, key, err, tc.want)
		}
	}
	if _, err := (contract.Key{}).Twin(""); err == nil {
		t.Error("the empty key has no twin")
	}
	if _, err := (contract.Key{Format: "pattern", Pattern: "abc"}).Twin("abc"); err == nil {
		t.Error("a key that is the only one has no twin")
	}
}

// FuzzDecodeKey holds two promises: what is decoded is acceptable, and writing it again decodes to the same key.
func FuzzDecodeKey(f *testing.F) {
	for _, seed := range []string{`"abc"`, "abc", `"a\"b\\c"`, `"a";x=1`, `"`, "", `""`, someUUID, "\x00", "ü", `"abc`, "a, b"} {
		f.Add(seed, uint8(0), 0)
	}
	encodings := []string{"", "structured-field", "opaque", "both"}
	f.Fuzz(func(t *testing.T, field string, encoding uint8, most int) {
		c := with(contract.Key{Encoding: encodings[int(encoding)%len(encodings)], Max: max(most, 0)})
		key, err := c.DecodeKey([]string{field})
		if err != nil {
			if key != "" || !errors.Is(err, contract.ErrKeyMalformed) {
				t.Fatalf("%q: key %q with error %v", field, key, err)
			}
			return
		}
		if err := c.Key.Check(key); err != nil {
			t.Fatalf("%q decoded to %q, which is not acceptable: %v", field, key, err)
		}
		if key != strings.TrimSpace(key) && c.Key.Encoding != "structured-field" {
			return // outer white space survives only inside quotation marks
		}
		if strings.HasPrefix(key, `"`) && c.Key.Encoding == "" {
			return // bare, it would be read as quoted
		}
		if again, err := c.DecodeKey([]string{c.Encode(key)}); err != nil || again != key {
			t.Fatalf("%q decoded to %q, but its encoding %q to %q, %v", field, key, c.Encode(key), again, err)
		}
	})
}

func source(seed uint64) io.Reader {
	var s [32]byte
	for i := range 8 {
		s[i] = byte(seed >> (8 * i))
	}
	return rand.NewChaCha8(s)
}
