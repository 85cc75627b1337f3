package provider

import (
	"encoding/binary"
	"math/bits"
	"net/url"
)

// gramLength is the length in bytes of the substrings that a filter holds.
const gramLength = 8

// mostBits bounds the filter of a large body, which then gives more false positives.
const mostBits = 1 << 16

// bloomFilter is a Bloom filter over all substrings of gramLength bytes in a call, two bits each. It lets those who look for
// the few calls of one intent among thousands skip the others: a "may hold" is seldom wrong, a "does not hold" never.
type bloomFilter []uint64

// bloomOf is the filter of everything that ContainsAny looks at.
func bloomOf(c *Call) bloomFilter {
	grams := len(c.Key) + len(c.Path) + len(c.Query) + len(c.Body)
	for _, fields := range c.Header {
		for _, field := range fields {
			grams += len(field)
		}
	}
	size := min(max(64, 1<<bits.Len(uint(8*grams))), mostBits)
	s := make(bloomFilter, size/64)
	s.add([]byte(c.Key))
	s.add([]byte(c.Path))
	s.add([]byte(unescaped(c.Query)))
	s.add(c.Body)
	for _, fields := range c.Header {
		for _, field := range fields {
			s.add([]byte(field))
		}
	}
	return s
}

func (s bloomFilter) add(text []byte) {
	for i := 0; i+gramLength <= len(text); i++ {
		a, b := s.bits(text[i:])
		s[a/64] |= 1 << (a % 64)
		s[b/64] |= 1 << (b % 64)
	}
}

// mayHold tells whether the value may be in the call.
func (s bloomFilter) mayHold(value string) bool {
	text := []byte(value)
	for i := 0; i+gramLength <= len(text); i++ {
		a, b := s.bits(text[i:])
		if s[a/64]&(1<<(a%64)) == 0 || s[b/64]&(1<<(b%64)) == 0 {
			return false
		}
	}
	return true
}

// bits are the two bits of the substring that the text begins with.
func (s bloomFilter) bits(text []byte) (a, b uint64) {
	mixed := binary.LittleEndian.Uint64(text) * 0x9e3779b97f4a7c15
	mixed ^= mixed >> 29
	mask := uint64(len(s)*64 - 1)
	return mixed & mask, mixed >> 32 & mask
}

// unescaped is a query as people read it; one that cannot be read so is as it came.
func unescaped(query string) string {
	if plain, err := url.QueryUnescape(query); err == nil {
		return plain
	}
	return query
}
