package conflict

import (
	"context"
	"crypto/rand"
	"maps"
	"slices"
	"strconv"

	"github.com/oncespec/oncespec/mockapi/contract"
	"github.com/oncespec/oncespec/scenarios/rewrite"
	"github.com/oncespec/oncespec/scenarios/target"
)

// disclosure sends a write whose free texts are unique to it, and then another write under its key, with unique leaves of its
// own: whatever of the first comes back in the refusal was disclosed.
func disclosure(ctx context.Context, s *target.Stage) error {
	in, err := canary(ctx, s)
	if in == nil {
		return err
	}
	other, err := rival(ctx, s, in)
	if err != nil {
		return err
	}
	if a := change(ctx, s, other); s.Class(a) == contract.InFlightAnswer {
		settle(ctx, s, in, "settled")
		change(ctx, s, other)
	}
	return control(ctx, s, target.TwinOf(other))
}

// canary sends the first write, with canaries where the target takes them; nil where it took nothing.
func canary(ctx context.Context, s *target.Stage) (*target.Intent, error) {
	for _, planted := range []bool{true, false} {
		in, err := s.Intent(ctx)
		if err != nil {
			return nil, err
		}
		send := target.Send{Label: "first"}
		if planted {
			request, ok := plant(s, in)
			if !ok {
				continue
			}
			send = target.Send{Label: "canaries", Exact: &request, Variant: "canaries"}
		}
		a := s.Do(ctx, in, send)
		if s.Class(a).Success() {
			return in, nil
		}
		s.Note("the attempt %s was answered %s", send.Label, s.Class(a))
	}
	return nil, nil
}

// plant writes a unique text into every leaf that the configuration declares to be a free one.
func plant(s *target.Stage, in *target.Intent) (rewrite.Request, bool) {
	request, err := s.Compose(in, target.Send{})
	if err != nil {
		return request, false
	}
	root, err := rewrite.Parse(request.Body)
	if err != nil {
		return request, false
	}
	planted := false
	vary := s.Operation().Vary
	for _, pointer := range slices.Sorted(maps.Keys(vary)) {
		at, err := rewrite.ParsePointer(pointer)
		if err != nil || !free(vary[pointer]) {
			continue
		}
		if leaf, ok := root.At(at); ok && leaf.Kind == rewrite.String {
			leaf.Text = strconv.Quote("canary" + rand.Text()[:10])
			planted = true
		}
	}
	request.Body = root.Append(nil)
	return request, planted
}

// free tells whether any text of sixteen characters may stand there.
func free(v rewrite.Vary) bool {
	longest, err := strconv.ParseFloat(string(v.Max), 64)
	return (v.Type == "" || v.Type == rewrite.TypeString || v.Type == rewrite.TypeAny) && len(v.Enum) == 0 && v.Min == "" &&
		(v.Max == "" || err == nil && longest >= 16)
}

// settle sends the write's own retry, as often as a patient client would, to learn that the first attempt is over, and tells
// whether it is. A target that promises one effect and no more may refuse every duplicate as if it were in flight: asking it
// again is of no use.
func settle(ctx context.Context, s *target.Stage, in *target.Intent, label string) bool {
	a := s.Do(ctx, in, target.Send{Label: label})
	if c := s.Class(a); c == contract.Unknown || c == contract.InFlightAnswer && !s.Contract().Fidelity.OnlyEffect() {
		a = s.Resolve(ctx, in, target.Send{Label: label})
	}
	c := s.Class(a)
	return c != contract.Unknown && c != contract.InFlightAnswer
}
