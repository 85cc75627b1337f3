package target

import (
	"context"
	"encoding/json"
	"fmt"
	"math/big"
	"net/http"
	"slices"
	"strings"

	"github.com/theory/jsonpath"

	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/target/config"
	"github.com/oncespec/oncespec/scenarios/target/template"
)

// readProbes makes the eyes of an operation, and its status probe.
func (t *Target) readProbes(k *kit) (err error) {
	ledger := false
	for _, effect := range k.op.Effects {
		var e *eye
		switch {
		case effect.HTTP != nil:
			e, err = t.listEye(k, effect.HTTP)
		case effect.Value != nil:
			e, err = t.valueEye(k, effect.Value)
		case effect.Downstream != nil:
			ledger = true
			e = t.ledgerEye(effect.Downstream)
		}
		if err != nil {
			return err
		}
		k.add(e)
	}
	if t.gate != nil && !ledger {
		e := t.ledgerEye(&config.LedgerEffect{})
		e.quiet = true
		k.add(e)
	}
	if k.op.Status != nil {
		k.status, err = newStatusProbe(k.op.Status)
	}
	return err
}

// add names an eye after its kind, with a number where there are several.
func (k *kit) add(e *eye) {
	name := e.name
	for n := 2; slices.ContainsFunc(k.eyes, func(other *eye) bool { return other.name == e.name }); n++ {
		e.name = fmt.Sprintf("%s-%d", name, n)
	}
	k.eyes = append(k.eyes, e)
}

// ledgerEye counts bookings at the gate.
func (t *Target) ledgerEye(c *config.LedgerEffect) *eye {
	return &eye{name: "downstream", kind: history.Ledger, read: func(_ context.Context, in *Intent) (reading, error) {
		if t.gate == nil {
			return reading{}, fmt.Errorf("the configuration has no target.downstream")
		}
		var r reading
		for _, call := range t.calls(in) {
			if (c.Method == "" || strings.EqualFold(c.Method, call.Method)) && fits(c.Path, call.Path) {
				r.calls = append(r.calls, call)
			}
		}
		r.count = booked(r.calls)
		return r, nil
	}}
}

// fits tells whether a path is one of those that a pattern means: "*" is one segment, a trailing "**" the rest.
func fits(pattern, path string) bool {
	if pattern == "" {
		return true
	}
	want, have := strings.Split(pattern, "/"), strings.Split(path, "/")
	for i, w := range want {
		switch {
		case w == "**" && i == len(want)-1:
			return true
		case i >= len(have) || w != "*" && w != have[i]:
			return false
		}
	}
	return len(want) == len(have)
}

func (t *Target) get(ctx context.Context, f *form, in *Intent) (any, error) {
	request, err := f.fill(in.filled())
	if err != nil {
		return nil, err
	}
	credential(&request, t.cfg.Target.Tenants[in.Tenant], Own)
	answer, err := t.call(ctx, request)
	if err != nil {
		return nil, fmt.Errorf("GET %s: %w", request.Target(), err)
	}
	if answer.Status == http.StatusNotFound {
		return nil, errAbsent
	}
	if answer.Status < 200 || answer.Status > 299 {
		return nil, fmt.Errorf("GET %s: expected a 2xx answer, found %d: %s", request.Target(), answer.Status, t.says(answer.Body))
	}
	d := json.NewDecoder(strings.NewReader(string(answer.Body)))
	d.UseNumber()
	var doc any
	if err := d.Decode(&doc); err != nil {
		return nil, fmt.Errorf("GET %s: expected JSON: %w", request.Target(), err)
	}
	return doc, nil
}

var errAbsent = fmt.Errorf("404")

func (t *Target) listEye(k *kit, c *config.HTTPEffect) (*eye, error) {
	f, err := newForm(config.Request{Method: "GET", Path: c.Get})
	if err != nil {
		return nil, err
	}
	items, err := jsonpath.Parse(c.Items)
	if err != nil {
		return nil, err
	}
	marked := k.isolation == config.Marker
	shared := !marked && !slices.ContainsFunc(f.path.Placeholders(), func(p template.Placeholder) bool { return k.op.TellsApart(p) })
	return &eye{name: "http", kind: history.Resource, shared: shared, read: func(ctx context.Context, in *Intent) (r reading, err error) {
		doc, err := t.get(ctx, f, in)
		if err != nil {
			return r, err
		}
		for _, item := range items.Select(doc) {
			text, _ := json.Marshal(item)
			if marked && !slices.ContainsFunc(in.Markers, func(m string) bool { return strings.Contains(string(text), m) }) {
				continue
			}
			r.count++
			if m, ok := item.(map[string]any); ok {
				r.ids = append(r.ids, fmt.Sprint(m["id"]))
			}
		}
		return r, nil
	}}, nil
}

func (t *Target) valueEye(k *kit, c *config.ValueEffect) (*eye, error) {
	f, err := newForm(config.Request{Method: "GET", Path: c.Get})
	if err != nil {
		return nil, err
	}
	at, err := jsonpath.Parse(c.At)
	if err != nil {
		return nil, err
	}
	shared := !slices.ContainsFunc(f.path.Placeholders(), func(p template.Placeholder) bool { return k.op.TellsApart(p) })
	return &eye{name: "value", kind: history.Value, shared: shared, read: func(ctx context.Context, in *Intent) (r reading, err error) {
		doc, err := t.get(ctx, f, in)
		if err == errAbsent {
			r.value, r.text = new(big.Rat), "0"
			return r, nil
		}
		if err != nil {
			return r, err
		}
		nodes := at.Select(doc)
		if len(nodes) != 1 {
			return r, fmt.Errorf("nothing at %s", c.At)
		}
		r.text = fmt.Sprint(nodes[0])
		r.value, _ = new(big.Rat).SetString(r.text)
		return r, nil
	}}, nil
}

func (t *Target) closeProbes() {}
