// Package compare measures the canonical form against other canonicalisers, in a module of its own so that the product
// does not depend on them.
package compare

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/gowebpki/jcs"

	"github.com/oncespec/oncespec/mockapi/fingerprint"
)

// body is an order of about size bytes, whose numbers are exact in float64 so that all three forms are equal.
func body(size int) []byte {
	var b strings.Builder
	b.WriteString(`{"order":"o-17","currency":"EUR","customer":{"name":"Ada Lovelace","city":"Köln","vip":true,"note":null},"amount":1999.50,"items":[`)
	for i := 0; b.Len() < size-60; i++ {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"sku":"a-%d","count":%d,"price":%d.25,"tags":["x","\u00e9"]}`, i, i%7, i)
	}
	b.WriteString(`]}`)
	return []byte(b.String())
}

var canonicalisers = []struct {
	name string
	form func([]byte) ([]byte, error)
}{
	{"oncespec", fingerprint.Canonical},
	{"jsontext", func(text []byte) ([]byte, error) {
		value := jsontext.Value(bytes.Clone(text))
		err := value.Canonicalize()
		return value, err
	}},
	{"jcs", jcs.Transform},
}

// TestAllAgree makes the comparison one of equal work.
func TestAllAgree(t *testing.T) {
	for _, size := range []int{200, 1 << 10, 64 << 10} {
		want, err := fingerprint.Canonical(body(size))
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range canonicalisers {
			if got, err := c.form(body(size)); err != nil || !bytes.Equal(got, want) {
				t.Errorf("%s at %d bytes: %v\n%.200s\n%.200s", c.name, size, err, got, want)
			}
		}
	}
}

func BenchmarkCanonicalisers(b *testing.B) {
	for _, size := range []int{200, 1 << 10, 64 << 10} {
		text := body(size)
		for _, c := range canonicalisers {
			b.Run(fmt.Sprintf("%d/%s", size, c.name), func(b *testing.B) {
				b.SetBytes(int64(len(text)))
				b.ReportAllocs()
				for b.Loop() {
					if _, err := c.form(text); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
