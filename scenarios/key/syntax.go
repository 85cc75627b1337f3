package key

import (
	"context"
	"crypto/rand"
	"strings"

	"github.com/oncespec/oncespec/mockapi/contract"
	"github.com/oncespec/oncespec/scenarios/target"
)

// syntax sends writes with all kinds of keys, a trial each.
func syntax(ctx context.Context, s *target.Stage) error {
	if err := missing(ctx, s.Trial("missing")); err != nil {
		return err
	}
	if err := random(ctx, s.Trial("random")); err != nil {
		return err
	}
	if err := respelled(ctx, s.Trial("respelled")); err != nil {
		return err
	}
	for _, part := range malformedParts {
		if err := broken(ctx, s.Trial(part), part); err != nil {
			return err
		}
	}
	return twice(ctx, s.Trial("sent-twice"))
}

// missing sends a write without a key, and one with a key as the control of this scenario.
func missing(ctx context.Context, s *target.Stage) error {
	in, err := s.Intent(ctx)
	if err != nil {
		return err
	}
	s.Do(ctx, in, target.Send{Label: "missing", NoKey: true})
	s.Observe(ctx, in, "after")
	control, err := s.Intent(ctx)
	if err != nil {
		return err
	}
	s.Do(ctx, control, target.Send{Label: "control"})
	return nil
}

// random sends a write under a random key of each common shape that the declared syntax takes.
func random(ctx context.Context, s *target.Stage) error {
	syntax := s.Contract().Key
	for _, shape := range syntax.Shapes() {
		if shape == contract.ShapeLongest {
			continue // of another requirement
		}
		key, err := syntax.New(shape, rand.Reader)
		if err != nil {
			s.Note("%v", err)
			continue
		}
		in, err := s.Intent(ctx, target.WithKey(key))
		if err != nil {
			return err
		}
		s.Do(ctx, in, target.Send{Label: string(shape)})
	}
	return nil
}

// respelled sends a write, and the same once more with the key in the other spelling: bare, or as a structured-field string.
func respelled(ctx context.Context, s *target.Stage) error {
	in, err := s.Intent(ctx)
	if err != nil {
		return err
	}
	s.Do(ctx, in, target.Send{Label: "first"})
	other := in.Key
	if s.Contract().Encode(in.Key) == in.Key {
		if other, err = contract.Quote(in.Key); err != nil {
			s.Note("%v", err)
			return nil
		}
	}
	s.Do(ctx, in, target.Send{Label: "respelled", KeyFields: []string{other}})
	s.Observe(ctx, in, "after")
	return nil
}

// The parts of key/malformed.
const (
	empty      = "empty"
	unbalanced = "unbalanced"
	control    = "control"
	nonASCII   = "non-ascii"
	overLong   = "over-long"
)

var malformedParts = []string{empty, unbalanced, control, nonASCII, overLong}

// unbounded is the length of an over-long key where no longest one is declared: more than anybody means to accept, less than
// what servers refuse as a header.
const unbounded = 2048

// broken sends a write whose key field holds no proper key.
func broken(ctx context.Context, s *target.Stage, part string) error {
	in, err := s.Intent(ctx)
	if err != nil {
		return err
	}
	s.Do(ctx, in, target.Send{Label: part, KeyFields: []string{breakKey(s.Contract(), in.Key, part)}})
	s.Observe(ctx, in, "after")
	return nil
}

// breakKey spells the key field of a part.
func breakKey(c contract.Contract, key, part string) string {
	quoted := c.Key.Encoding == contract.EncodingStructured || c.Key.Encoding == contract.EncodingBoth
	switch half := len(key) / 2; part {
	case empty:
		key = ""
	case unbalanced:
		return `"` + key
	case control:
		key = key[:half] + "\x01" + key[half:]
	case nonASCII:
		key = key[:half] + "é" + key[half:]
	case overLong:
		longest := c.Key.Max
		if longest == 0 && c.Key.FoldsCase() {
			longest = c.Key.Longest()
		}
		if longest == 0 {
			longest = unbounded
		}
		key += strings.Repeat("0", longest+1-min(len(key), longest))
	}
	if quoted {
		return `"` + key + `"`
	}
	return key
}

// twice sends writes with two key fields, the same key twice and two keys, and each of them again.
func twice(ctx context.Context, s *target.Stage) error {
	for _, kind := range []string{"same-key", "two-keys"} {
		in, err := s.Intent(ctx)
		if err != nil {
			return err
		}
		second := in.Key
		if kind == "two-keys" {
			if second, err = s.Contract().Key.Twin(in.Key); err != nil {
				s.Note("%v", err)
				continue
			}
		}
		fields := []string{s.Contract().Encode(in.Key), s.Contract().Encode(second)}
		s.Do(ctx, in, target.Send{Label: kind, KeyFields: fields})
		s.Do(ctx, in, target.Send{Label: kind + "-again", KeyFields: fields})
		s.Observe(ctx, in, "after")
	}
	return nil
}
