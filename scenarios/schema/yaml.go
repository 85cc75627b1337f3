package schema

import (
	"errors"
	"fmt"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// mostNodes bounds a YAML document with its aliases written out: a few lines of aliases of aliases would fill any memory.
const mostNodes = 1 << 20

var errExpands = fmt.Errorf("its aliases stand for more than %d values", mostNodes)

// fromYAML turns YAML into JSON.
func fromYAML(text []byte) ([]byte, error) {
	file, err := parser.ParseBytes(text, 0)
	if err != nil {
		return nil, fmt.Errorf("no YAML: %s", firstLine(err))
	}
	c := counter{anchors: map[string]int{}}
	for _, doc := range file.Docs {
		if c.count(doc.Body, 0) > mostNodes {
			return nil, fmt.Errorf("no YAML: %w", errExpands)
		}
	}
	out, err := yaml.YAMLToJSON(text)
	if err != nil {
		return nil, fmt.Errorf("no YAML: %s", firstLine(err))
	}
	if len(out) == 0 {
		return nil, errors.New("no YAML: it is empty")
	}
	return out, nil
}

// counter counts the values of a document, those behind an alias each time.
type counter struct{ anchors map[string]int }

func (c counter) count(n ast.Node, depth int) (size int) {
	if n == nil || depth > mostDepth {
		return 1
	}
	size = 1
	add := func(below ast.Node) {
		if size <= mostNodes {
			size += c.count(below, depth+1)
		}
	}
	switch n := n.(type) {
	case *ast.MappingNode:
		for _, v := range n.Values {
			add(v)
		}
	case *ast.MappingValueNode:
		add(n.Key)
		add(n.Value)
	case *ast.SequenceNode:
		for _, v := range n.Values {
			add(v)
		}
	case *ast.TagNode:
		add(n.Value)
	case *ast.AnchorNode:
		add(n.Value)
		c.anchors[n.Name.String()] = size
	case *ast.AliasNode:
		size = max(1, c.anchors[n.Value.String()])
	}
	return size
}

// mostDepth is how deep a document is looked into; what is deeper is refused elsewhere.
const mostDepth = 10000
