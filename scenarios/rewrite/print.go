package rewrite

// Append writes the value without white space; literals stay as they were read.
func (n *Node) Append(dst []byte) []byte { return n.print(dst, layout{}, 0) }

func (n *Node) String() string { return string(n.Append(nil)) }

// layout is the white space of a printed value. The zero value is none.
type layout struct {
	line   string // line ends, such as "\n"; empty: all on one line
	indent string // a level
	colon  string // after a colon
	comma  string // after a comma that ends no line
}

var (
	pretty = layout{line: "\n", indent: "  ", colon: " "}
	spaced = layout{colon: " ", comma: " "}
	crlf   = layout{line: "\r\n", indent: "\t", colon: " "}
)

func (n *Node) print(dst []byte, l layout, depth int) []byte {
	switch n.Kind {
	case Array:
		dst = append(dst, '[')
		for i, item := range n.Items {
			dst = l.lead(dst, i, depth+1)
			dst = item.print(dst, l, depth+1)
		}
		return append(l.close(dst, len(n.Items), depth), ']')
	case Object:
		dst = append(dst, '{')
		for i, m := range n.Members {
			dst = l.lead(dst, i, depth+1)
			dst = append(append(dst, m.Name...), ':')
			dst = m.Value.print(append(dst, l.colon...), l, depth+1)
		}
		return append(l.close(dst, len(n.Members), depth), '}')
	}
	return append(dst, n.Text...)
}

// lead writes what stands before the i-th element.
func (l layout) lead(dst []byte, i, depth int) []byte {
	if i > 0 {
		dst = append(dst, ',')
	}
	if l.line == "" {
		if i > 0 {
			dst = append(dst, l.comma...)
		}
		return dst
	}
	return l.newline(dst, depth)
}

// close writes what stands before the closing bracket.
func (l layout) close(dst []byte, elements, depth int) []byte {
	if l.line == "" || elements == 0 {
		return dst
	}
	return l.newline(dst, depth)
}

func (l layout) newline(dst []byte, depth int) []byte {
	dst = append(dst, l.line...)
	for range depth {
		dst = append(dst, l.indent...)
	}
	return dst
}
