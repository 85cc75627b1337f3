package downstream

import (
	"fmt"
	"slices"
	"strings"

	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/rule"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

func stableKeyRule(c rule.Case) []rule.Finding {
	var findings []rule.Finding
	resent := 0
	for _, h := range c.Histories {
		for _, in := range soleIntents(c, h) {
			for _, call := range byPlace(rule.Calls(h, in.ID)) {
				if call.times < 2 {
					continue
				}
				resent++
				switch {
				case len(call.keys) > 1:
					findings = append(findings, rule.Fail(verdict.Strong, "%s was called %d times for one operation, under %d keys: %s",
						call.place, call.times, len(call.keys), strings.Join(call.keys, ", ")).At(h.ID))
				case call.keys[0] == none:
					findings = append(findings, rule.Inconclusive(verdict.Environment,
						"%s was called %d times for one operation without a key, unless it is somewhere else than target.downstream.key says", call.place, call.times).At(h.ID))
				default:
					findings = append(findings, rule.Pass(verdict.Strong, "%s was called %d times under one key", call.place, call.times).At(h.ID))
				}
			}
		}
	}
	if resent == 0 {
		return []rule.Finding{rule.NotAssessed("the target never sent a downstream call again").At(c.IDs()...)}
	}
	return findings
}

// none stands for the key of a call that carries none.
const none = "no key"

// place is one kind of call with the keys it was made under. Calls to several places may well have keys of their own.
type place struct {
	place string
	times int
	keys  []string
}

// byPlace sorts calls by method and path. Questions count by the key they ask about.
func byPlace(calls []history.Call) (places []*place) {
	at := map[string]*place{}
	for _, call := range calls {
		if call.Lookup {
			continue
		}
		name, key := fmt.Sprintf("%s %s", call.Method, call.Path), call.Key
		if key == "" {
			key = none
		}
		if at[name] == nil {
			at[name] = &place{place: name}
			places = append(places, at[name])
		}
		p := at[name]
		p.times++
		if !slices.Contains(p.keys, key) {
			p.keys = append(p.keys, key)
		}
	}
	return places
}
