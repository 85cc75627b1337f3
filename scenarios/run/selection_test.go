package run

import (
	"strings"
	"testing"
)

func TestSelectionThatMatchesNothingIsAnError(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		sel  Selection
		want string
	}{
		"empty":             {Selection{Requirements: []string{""}}, "is empty"},
		"mistyped id":       {Selection{Requirements: []string{"replay/one-efect"}}, `did you mean "replay/one-effect"?`},
		"glob without hit":  {Selection{Requirements: []string{"nothing/*"}}, "matches nothing"},
		"broken glob":       {Selection{Requirements: []string{"[x"}}, "no valid pattern"},
		"one of two is bad": {Selection{Requirements: []string{"race/*", "rase/*"}}, `"rase/*" matches nothing`},
		"unknown pack":      {Selection{Packs: []string{"lots"}}, `did you mean "lost"?`},
		"unknown level":     {Selection{Levels: []string{"always"}}, "must, should"},
		"empty together":    {Selection{Packs: []string{"lost"}, Requirements: []string{"race/*"}}, "together select no requirement"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := c.sel.requirements()
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want an error with %q", err, c.want)
			}
		})
	}
	if _, err := (Selection{Operations: []string{"create-tiket"}}).operations([]string{"create-ticket"}); err == nil || !strings.Contains(err.Error(), "did you mean") {
		t.Errorf("an unknown operation gave %v", err)
	}
}

func TestSelectionNarrows(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		sel  Selection
		want int
	}{
		"one":             {Selection{Requirements: []string{"replay/one-effect"}}, 1},
		"a pack by glob":  {Selection{Requirements: []string{"status/*"}}, 6},
		"a pack":          {Selection{Packs: []string{"status"}}, 6},
		"pack and level":  {Selection{Packs: []string{"status"}, Levels: []string{"must"}}, 2},
		"two of one kind": {Selection{Requirements: []string{"lost/reset", "lost/response"}}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := c.sel.requirements()
			if err != nil || len(got) != c.want {
				t.Errorf("%d requirements, error %v; want %d", len(got), err, c.want)
			}
		})
	}
}
