package contract

import (
	"fmt"
	"io"
	"regexp/syntax"
	"strings"

	"github.com/google/uuid"
)

// Shape is a way to choose a new key.
type Shape string

// The shapes.
const (
	ShapeUUID    Shape = "uuid4"     // a version-4 UUID
	ShapeRandom  Shape = "random-32" // 32 letters and digits, or as near to it as the lengths allow
	ShapeLongest Shape = "longest"   // as long as Longest says
)

// longestUnspecified is the length of the longest key where no maximum is declared: longer than every cut seen in the field
// (32, 36 and 50 characters), shorter than what a server without a published limit may fairly refuse.
const longestUnspecified = 64

// mostLength is how long a key can be declared to be: servers take header fields of some kilobytes and no more.
const mostLength = 4 << 10

const alphanumeric = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

// Longest is the number of characters in the longest key that is sure to be acceptable by its length.
func (k Key) Longest() int {
	switch {
	case k.FoldsCase():
		return uuidLength
	case k.Max > 0:
		return k.Max
	}
	return max(k.Min, longestUnspecified)
}

// Shapes lists the shapes that the declared syntax accepts, the plainest first; never empty for a valid Key.
func (k Key) Shapes() []Shape {
	switch {
	case k.FoldsCase():
		return []Shape{ShapeUUID}
	case k.Format == FormatPattern:
		return []Shape{ShapeRandom, ShapeLongest}
	case k.Min <= uuidLength && (k.Max == 0 || k.Max >= uuidLength):
		return []Shape{ShapeUUID, ShapeRandom, ShapeLongest}
	}
	return []Shape{ShapeRandom, ShapeLongest}
}

// New makes a key of a shape from a source of random bytes; the same bytes make the same key. It fails where the declared
// syntax does not accept the shape, or where no key of a pattern was found within the declared lengths.
func (k Key) New(shape Shape, random io.Reader) (string, error) {
	if k.FoldsCase() {
		shape = ShapeUUID
	}
	length := k.Longest()
	if shape == ShapeRandom {
		length = max(k.Min, 32)
		if k.Max > 0 {
			length = min(length, k.Max)
		}
	}
	var key string
	var err error
	switch {
	case shape == ShapeUUID:
		var id uuid.UUID
		if id, err = uuid.NewRandomFromReader(random); err == nil {
			key = id.String()
		}
	case k.Format == FormatPattern:
		if key, err = k.fromPattern(length, random); err != nil && length < k.Longest() {
			key, err = k.fromPattern(k.Longest(), random) // its shortest key is a long one
		}
	default:
		key, err = randomText(length, random)
	}
	if err != nil {
		return "", fmt.Errorf("new key of shape %s: %w", shape, err)
	}
	if err := k.Check(key); err != nil {
		return "", fmt.Errorf("new key of shape %s: %w", shape, err)
	}
	return key, nil
}

// Twin returns another acceptable key that differs in its last character only.
func (k Key) Twin(key string) (string, error) {
	if key == "" {
		return "", fmt.Errorf("twin of a key: it is empty")
	}
	// The digits first: they keep a UUID a UUID.
	for _, last := range "0123456789" + alphanumeric[:52] {
		twin := key[:len(key)-1] + string(last)
		if twin != key && k.Check(twin) == nil {
			return twin, nil
		}
	}
	return "", fmt.Errorf("twin of key %q: no other last character is acceptable", key)
}

func randomText(length int, random io.Reader) (string, error) {
	text := make([]byte, length)
	for i := range text {
		n, err := below(len(alphanumeric), random)
		if err != nil {
			return "", err
		}
		text[i] = alphanumeric[n]
	}
	return string(text), nil
}

// below reads a number from 0 to n-1, n at most 256, each as likely.
func below(n int, random io.Reader) (int, error) {
	for limit := 256 - 256%n; ; {
		var b [1]byte
		if _, err := io.ReadFull(random, b[:]); err != nil {
			return 0, fmt.Errorf("random source: %w", err)
		}
		if int(b[0]) < limit {
			return int(b[0]) % n, nil
		}
	}
}

// fromPattern looks for a text of the wanted length that the pattern describes, and settles for the nearest below it.
// Repetitions without an upper bound are what it stretches.
func (k Key) fromPattern(length int, random io.Reader) (string, error) {
	tree, err := syntax.Parse(k.Pattern, syntax.Perl)
	if err != nil {
		return "", fmt.Errorf("key.pattern: %w", err)
	}
	best := ""
	for stretch := length; stretch >= 0; stretch-- {
		w := patternWriter{random: random, stretch: stretch, limit: length}
		w.write(tree)
		if w.err != nil {
			return "", w.err
		}
		key := w.text.String()
		if len(key) > length || k.Check(key) != nil {
			continue
		}
		if len(key) > len(best) {
			best = key
		}
		if len(best) == length {
			break
		}
	}
	if best == "" {
		return "", fmt.Errorf("found no text of at most %d characters that matches %s", length, k.Pattern)
	}
	return best, nil
}

// patternWriter writes one text that an expression describes.
type patternWriter struct {
	random  io.Reader
	stretch int // repetitions where the expression sets no bound
	limit   int // stop writing soon after it: the text is of no use then
	text    strings.Builder
	err     error
}

func (w *patternWriter) write(e *syntax.Regexp) {
	if w.err != nil || w.text.Len() > w.limit {
		return
	}
	switch e.Op {
	case syntax.OpLiteral:
		w.text.WriteString(string(e.Rune))
	case syntax.OpCharClass:
		w.class(e.Rune)
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		w.class([]rune{'0', '9', 'A', 'Z', 'a', 'z'})
	case syntax.OpCapture:
		w.write(e.Sub[0])
	case syntax.OpConcat:
		for _, sub := range e.Sub {
			w.write(sub)
		}
	case syntax.OpAlternate:
		w.write(e.Sub[w.choose(len(e.Sub))])
	case syntax.OpStar:
		w.repeat(e.Sub[0], 0, -1)
	case syntax.OpPlus:
		w.repeat(e.Sub[0], 1, -1)
	case syntax.OpQuest:
		w.repeat(e.Sub[0], 0, 1)
	case syntax.OpRepeat:
		w.repeat(e.Sub[0], e.Min, e.Max)
	}
}

func (w *patternWriter) repeat(e *syntax.Regexp, least, most int) {
	n := max(least, w.stretch)
	if most >= 0 {
		n = min(n, most)
	}
	for i := 0; i < n && w.text.Len() <= w.limit; i++ {
		w.write(e)
	}
}

// class writes one printable ASCII character of the ranges, a letter or digit if there is one, or nothing.
func (w *patternWriter) class(ranges []rune) {
	var from, plain []rune
	for i := 0; i+1 < len(ranges); i += 2 {
		for r := max(ranges[i], 0x21); r <= min(ranges[i+1], 0x7e); r++ {
			from = append(from, r)
			if strings.ContainsRune(alphanumeric, r) {
				plain = append(plain, r)
			}
		}
	}
	if len(plain) > 0 {
		from = plain
	}
	if len(from) > 0 {
		w.text.WriteRune(from[w.choose(len(from))])
	}
}

func (w *patternWriter) choose(n int) int {
	if n > 256 {
		n = 256
	}
	i, err := below(n, w.random)
	if err != nil && w.err == nil {
		w.err = err
	}
	return i
}
