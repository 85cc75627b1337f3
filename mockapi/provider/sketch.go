package provider

import (
	"encoding/binary"
	"math/bits"
	"net/url"
)

// gram is how many bytes in a row a sketch remembers together.
const gram = 8

// largestSketch, in bits, bounds what is kept of a large body; it then rules less out.
const largestSketch = 1 << 16

// sketch is what may be found in a call: for every gram in it, two bits. Who looks for the few calls of one intent among
// thousands need not search the others. It says maybe of a value that is not there, seldom, and never no of one that is.
type sketch []uint64

// drawn is the sketch of all that ContainsAny looks at.
func drawn(c *Call) sketch {
	grams := len(c.Key) + len(c.Path) + len(c.Query) + len(c.Body)
	for _, fields := range c.Header {
		for _, field := range fields {
			grams += len(field)
		}
	}
	size := min(max(64, 1<<bits.Len(uint(8*grams))), largestSketch)
	s := make(sketch, size/64)
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

func (s sketch) add(text []byte) {
	for i := 0; i+gram <= len(text); i++ {
		a, b := s.places(text[i:])
		s[a/64] |= 1 << (a % 64)
		s[b/64] |= 1 << (b % 64)
	}
}

// may tells whether the value may be in the call.
func (s sketch) may(value string) bool {
	text := []byte(value)
	for i := 0; i+gram <= len(text); i++ {
		a, b := s.places(text[i:])
		if s[a/64]&(1<<(a%64)) == 0 || s[b/64]&(1<<(b%64)) == 0 {
			return false
		}
	}
	return true
}

// places are where the gram at the beginning of the text has its bits.
func (s sketch) places(text []byte) (a, b uint64) {
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
