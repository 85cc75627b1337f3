package fingerprint_test

import (
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/oncespec/oncespec/mockapi/contract"
	"github.com/oncespec/oncespec/mockapi/fingerprint"
)

var order = []byte(`{"order":"o-17","amount":1999,"currency":"EUR","items":[{"sku":"a","count":2,"price":10.50},{"sku":"b","count":1,"price":1978.5}],
	"customer":{"name":"Ada Lovelace","address":{"street":"Straße 1","city":"Berlin","zip":"10115"}},"note":null,"express":true}`)

func BenchmarkCanonical(b *testing.B) {
	b.SetBytes(int64(len(order)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := fingerprint.Canonical(order); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkLibraryCanonical is what exact decimals are compared with: the same form with numbers as float64.
func BenchmarkLibraryCanonical(b *testing.B) {
	b.SetBytes(int64(len(order)))
	b.ReportAllocs()
	for b.Loop() {
		value := jsontext.Value(order).Clone()
		if err := value.Canonicalize(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkOf(b *testing.B) {
	r := ticket()
	r.Body = order
	b.ReportAllocs()
	for b.Loop() {
		if _, err := fingerprint.Of(contract.Fingerprint{}, r); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkNumber(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := fingerprint.Number("90071992547409.930e-3"); err != nil {
			b.Fatal(err)
		}
	}
}
