package rewrite

import (
	"fmt"
	"strings"
)

// Pointer is a parsed JSON Pointer (RFC 6901): the decoded tokens. The empty pointer names the whole value.
type Pointer []string

// ParsePointer reads a pointer such as /items/0/a~1b.
func ParsePointer(s string) (Pointer, error) {
	if s == "" {
		return nil, nil
	}
	if s[0] != '/' {
		return nil, fmt.Errorf("JSON Pointer %q: expected a leading /, such as /items/0/id", s)
	}
	tokens := strings.Split(s[1:], "/")
	for i, token := range tokens {
		for rest := token; ; {
			at := strings.IndexByte(rest, '~')
			if at < 0 {
				break
			}
			if at+1 == len(rest) || rest[at+1] != '0' && rest[at+1] != '1' {
				return nil, fmt.Errorf("JSON Pointer %q: expected ~0 (for ~) or ~1 (for /) where ~ stands", s)
			}
			rest = rest[at+2:]
		}
		tokens[i] = decodeToken.Replace(token)
	}
	return tokens, nil
}

// The replacers work from left to right without looking again at what they wrote, as RFC 6901 asks.
var (
	decodeToken = strings.NewReplacer("~1", "/", "~0", "~")
	encodeToken = strings.NewReplacer("~", "~0", "/", "~1")
)

func (p Pointer) String() string {
	var out strings.Builder
	for _, token := range p {
		out.WriteByte('/')
		out.WriteString(encodeToken.Replace(token))
	}
	return out.String()
}

// child makes a pointer of its own, so that siblings never share memory.
func (p Pointer) child(token string) Pointer {
	out := make(Pointer, len(p)+1)
	copy(out, p)
	out[len(p)] = token
	return out
}

func (p Pointer) join(below Pointer) Pointer {
	return append(append(make(Pointer, 0, len(p)+len(below)), p...), below...)
}

// within tells whether p is top or lies below it.
func (p Pointer) within(top Pointer) bool {
	if len(p) < len(top) {
		return false
	}
	for i, token := range top {
		if p[i] != token {
			return false
		}
	}
	return true
}
