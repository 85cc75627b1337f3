package run

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/oncespec/oncespec/mockapi/contract"
	"github.com/oncespec/oncespec/scenarios/storm"
)

// alike refuses a folder that is no shard of the run that the first one is of.
func alike(dir string, p *Plan, firstDir string, before []*Plan, from map[int]string) error {
	unlike := func(format string, args ...any) error {
		return fmt.Errorf("%w: "+format, append([]any{ErrUnlike}, args...)...)
	}
	if p.Shard == nil || p.Shard.Of < 1 || p.Shard.Index < 1 || p.Shard.Index > p.Shard.Of {
		return unlike("%s holds a run that was not divided (--shard)", dir)
	}
	if other, twice := from[p.Shard.Index]; twice {
		return unlike("%s and %s are both shard %s", other, dir, p.Shard)
	}
	if len(before) == 0 {
		return nil
	}
	first := before[0]
	switch {
	case p.Tool != first.Tool:
		return unlike("%s was made by oncespec %s, %s by %s", firstDir, first.Tool, dir, p.Tool)
	case p.Shard.Of != first.Shard.Of:
		return unlike("%s is shard %s, %s is shard %s", firstDir, first.Shard, dir, p.Shard)
	case p.Seed != first.Seed:
		return unlike("%s has the seed %d, %s the seed %d: give all shards the same --seed", firstDir, first.Seed, dir, p.Seed)
	case p.Shard.URL != first.Shard.URL:
		return unlike("%s was run against %s, %s against %s: the shards of one run share target.url, but for the port on this machine", firstDir, first.URL, dir, p.URL)
	case p.Strict != first.Strict:
		with, without := dir, firstDir
		if first.Strict {
			with, without = firstDir, dir
		}
		return unlike("%s was made with --strict, %s without", with, without)
	}
	at, other, one := difference("", p.common(), first.common())
	switch {
	case at != "" && p.Shard.Whole == first.Shard.Whole:
		return unlike("%s differs in the plan.json of %s (%s) and of %s (%s), though both come from one plan: one of them was edited", at, firstDir, one, dir, other)
	case at != "":
		return unlike("%s and %s are of different plans: %s is %s in the one, %s in the other; give all shards the same configuration and flags", firstDir, dir, at, one, other)
	case p.Shard.Whole != first.Shard.Whole:
		return unlike("%s and %s are of different plans (shard.whole is %s and %s)", firstDir, dir, first.Shard.Whole, p.Shard.Whole)
	}
	return nil
}

// common is the part of a plan that all shards of a run must share, under the names of plan.json.
func (p *Plan) common() any {
	type operation struct {
		Name   string `json:"name"`
		Method string `json:"method"`
		Path   string `json:"path"`
	}
	type check struct {
		Requirement string `json:"requirement"`
		Operation   string `json:"operation"`
	}
	all := struct {
		Target     string            `json:"target"`
		Storm      *storm.Length     `json:"storm"`
		Contract   contract.Contract `json:"contract"`
		Operations []operation       `json:"operations"`
		Checks     []check           `json:"checks"`
		Shard      struct {
			Steps []string `json:"steps"`
		} `json:"shard"`
	}{Target: p.Target, Storm: p.Storm, Contract: p.Contract}
	for _, o := range p.Operations {
		all.Operations = append(all.Operations, operation{o.Name, o.Method, o.Path})
	}
	for _, c := range p.Checks {
		all.Checks = append(all.Checks, check{c.Requirement, c.Operation})
	}
	all.Shard.Steps = p.Shard.Steps
	text, err := json.Marshal(all)
	var v any
	if err == nil {
		err = json.Unmarshal(text, &v)
	}
	if err != nil {
		return err.Error()
	}
	return v
}

// difference finds the first place in which two values differ, and what each has there.
func difference(at string, a, b any) (where, mine, others string) {
	switch a := a.(type) {
	case map[string]any:
		b, same := b.(map[string]any)
		if !same {
			break
		}
		keys := maps.Clone(a)
		maps.Copy(keys, b)
		for _, name := range slices.Sorted(maps.Keys(keys)) {
			if where, mine, others = difference(strings.TrimPrefix(at+"."+name, "."), a[name], b[name]); where != "" {
				return where, mine, others
			}
		}
		return "", "", ""
	case []any:
		b, same := b.([]any)
		if !same {
			break
		}
		for i := range min(len(a), len(b)) {
			if where, mine, others = difference(fmt.Sprintf("%s[%d]", at, i), a[i], b[i]); where != "" {
				return where, mine, others
			}
		}
		if len(a) != len(b) {
			return "the length of " + at, fmt.Sprint(len(a)), fmt.Sprint(len(b))
		}
		return "", "", ""
	}
	if reflect.DeepEqual(a, b) {
		return "", "", ""
	}
	return at, written(a), written(b)
}

// written is a value as plan.json has it.
func written(v any) string {
	if v == nil {
		return "nothing"
	}
	text, _ := json.Marshal(v)
	return string(text)
}
