package storm

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/oncespec/oncespec/scenarios/jsonfile"
)

// Bounds of what is taken for a schedule: more would be a mistake, or meant to exhaust the harness.
const (
	mostClients = 1000
	mostCalls   = 100_000
	mostFaults  = 100
)

// Parse reads a schedule. Errors name the file, line, column and JSON Pointer.
func Parse(file string, data []byte) (*Schedule, error) {
	s := new(Schedule)
	if err := jsonfile.Decode(file, data, Schema, s); err != nil {
		return nil, err
	}
	if err := s.Check(); err != nil {
		var at *jsonfile.Misfit
		if errors.As(err, &at) {
			return nil, jsonfile.At(file, data, at.Pointer, "%s", at.Detail)
		}
		return nil, err
	}
	return s, nil
}

// Text is the schedule as a file holds it: a line a call, to be read and edited by people.
func (s *Schedule) Text() []byte {
	text := fmt.Appendf(nil, "{\n \"schema\": %s,\n \"operation\": %s,\n \"seed\": %d,\n \"calls\": [", line(s.Schema), line(s.Operation), s.Seed)
	text = lines(text, s.Calls)
	if len(s.Blows) > 0 {
		text = append(text, ",\n \"blows\": ["...)
		text = lines(text, s.Blows)
	}
	return append(text, "\n}\n"...)
}

func lines[T any](text []byte, list []T) []byte {
	for i, element := range list {
		if i > 0 {
			text = append(text, ',')
		}
		text = append(append(text, "\n  "...), line(element)...)
	}
	return append(text, "\n ]"...)
}

func line(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err) // a schedule holds numbers and texts only
	}
	return data
}

// Check tells whether the schedule can be played; the error is a *jsonfile.Misfit.
func (s *Schedule) Check() error {
	switch {
	case s.Schema != Schema:
		return jsonfile.Misfitf("/schema", "found %q, expected %q", s.Schema, Schema)
	case s.Operation == "":
		return jsonfile.Misfitf("/operation", "names no operation of the configuration")
	case len(s.Calls) == 0:
		return jsonfile.Misfitf("/calls", "there is no call, expected at least one")
	case len(s.Calls) > mostCalls:
		return jsonfile.Misfitf("/calls", "found %d calls, at most %d are played", len(s.Calls), mostCalls)
	}
	begun := map[int]bool{}
	for i, c := range s.Calls {
		at := fmt.Sprintf("/calls/%d", i)
		switch {
		case c.Client < 1 || c.Client > mostClients:
			return jsonfile.Misfitf(at+"/client", "found %d, expected 1 to %d", c.Client, mostClients)
		case c.Intent < 1 || c.Intent > len(s.Calls):
			return jsonfile.Misfitf(at+"/intent", "found %d, expected 1 to the number of calls, which is %d", c.Intent, len(s.Calls))
		case c.Changed && !begun[c.Intent]:
			return jsonfile.Misfitf(at+"/changed", "a changed payload of intent %d, whose own payload no earlier call sends", c.Intent)
		case len(c.Faults) > mostFaults:
			return jsonfile.Misfitf(at+"/faults", "found %d faults, at most %d are played", len(c.Faults), mostFaults)
		}
		begun[c.Intent] = true
		for j, f := range c.Faults {
			if err := f.check(fmt.Sprintf("%s/faults/%d", at, j)); err != nil {
				return err
			}
		}
	}
	return s.checkBlows()
}

func (f Fault) check(at string) error {
	for _, only := range []struct {
		name  string
		value int64
		kind  Kind
		least int64
	}{{"bytes", f.Bytes, Cut, 1}, {"status", int64(f.Status), Gateway, 500}, {"attempts", int64(f.Attempts), Delay, 1}} {
		switch {
		case f.Kind == only.kind && (only.value < only.least || only.kind == Gateway && only.value > 599):
			return jsonfile.Misfitf(at, "%s needs %s, expected %d or more, found %d", f.Kind, only.name, only.least, only.value)
		case f.Kind != only.kind && only.value != 0:
			return jsonfile.Misfitf(at+"/"+only.name, "belongs to the kind %q, and this is %q", only.kind, f.Kind)
		}
	}
	if f.Kind == None || slices.Contains(Faults, f.Kind) {
		return nil
	}
	return jsonfile.Misfitf(at+"/kind", "found %q, expected one of none, drop, cut, reset, gateway, delay", f.Kind)
}

func (s *Schedule) checkBlows() error {
	last := 0
	for i, b := range s.Blows {
		at := fmt.Sprintf("/blows/%d", i)
		switch {
		case !slices.Contains(Blows, b.Kind):
			return jsonfile.Misfitf(at+"/kind", "found %q, expected kill or pause", b.Kind)
		case b.Attempt < 1 || b.Attempt < last:
			return jsonfile.Misfitf(at+"/attempt", "found %d, expected 1 or more, and no less than that of the blow before", b.Attempt)
		case b.Held < 0 || b.Held > mostClients || b.Held > 0 && b.Kind != Kill:
			return jsonfile.Misfitf(at+"/held", "found %d, expected 0 to %d, and only with a kill", b.Held, mostClients)
		case b.Booked < 0 || b.Booked > b.Held:
			return jsonfile.Misfitf(at+"/booked", "found %d, expected 0 to the number that is held, which is %d", b.Booked, b.Held)
		}
		last = b.Attempt
	}
	return nil
}
