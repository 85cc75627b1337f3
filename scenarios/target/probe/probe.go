package probe

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/oncespec/oncespec/scenarios/target/config"
	"github.com/oncespec/oncespec/scenarios/target/template"
)

// Source is where probes read.
type Source struct {
	Base   string       // the target's URL, without a slash at its end
	Client *http.Client // nil: one that follows no redirect, uses no proxy and keeps its connections
	Gate   Gate         // nil: the target's downstream is not configured
	Dir    string       // working folder of commands; empty: that of this process
}

// Gate knows what the target booked downstream.
type Gate interface {
	// Bookings lists what was booked by calls that carry one of the markers. An empty method or path is any; a path may hold
	// "*" for one segment, and "**" at its end for the rest.
	Bookings(markers []string, method, path string) []Booking
}

// Booking is one thing that the target did downstream.
type Booking struct {
	ID     string
	Key    string // the downstream key it was made under, or empty
	Method string
	Path   string
}

// Subject is the intent whose effects are read.
type Subject struct {
	Markers []string          // values that occur nowhere else
	Vars    template.Vars     // what placeholders are filled in with
	Headers map[string]string // who reads, such as the credentials of its tenant
}

// Kind says what a probe counts.
type Kind string

// The kinds.
const (
	Resource Kind = "resource" // things
	Value    Kind = "value"    // a number that moves
	Ledger   Kind = "ledger"   // bookings downstream
)

// Reading is what a probe saw.
type Reading struct {
	Count int      // effects; of a shared probe all that there are
	IDs   []string // of the effects, in the order they were seen; as many as Count where the probe knows ids
	Value string   // of a value probe: a decimal, exact, without exponent
	Items []string // the beginnings of some effects, for reports
	// Absent: what holds the value is not there (404, 410); Value is 0 then.
	Absent bool
}

// Probe is one effect of an operation. It may be used from several goroutines.
type Probe struct {
	Name string // unique in the operation: http, value, sql, command, downstream, with a number when repeated: http-2
	Kind Kind
	// Shared: the probe sees the effects of all intents alike. Its readings are counted from one taken before (Since), and
	// mean nothing while anybody else is at work.
	Shared bool

	reader reader
}

type reader interface {
	read(context.Context, Source, Subject) (Reading, error)
	close() error
}

// All makes the probes of an operation, in the order of its effects. Close them.
func All(op *config.Operation) ([]*Probe, error) {
	var all []*Probe
	for i, e := range op.Effects {
		p, err := one(op, e)
		if err != nil {
			return nil, fmt.Errorf("effects[%d]: %w", i, err)
		}
		plain := p.Name
		for n := 2; slices.ContainsFunc(all, func(other *Probe) bool { return other.Name == p.Name }); n++ {
			p.Name = fmt.Sprintf("%s-%d", plain, n)
		}
		all = append(all, p)
	}
	return all, nil
}

func one(op *config.Operation, e config.Effect) (p *Probe, err error) {
	switch {
	case e.HTTP != nil:
		return newList(op, e.HTTP)
	case e.Value != nil:
		return newValue(op, e.Value)
	case e.SQL != nil:
		return newSQL(op, e.SQL)
	case e.Command != nil:
		return newCommand(op, e.Command)
	case e.Downstream != nil:
		return &Probe{Name: "downstream", Kind: Ledger, Shared: op.Isolate == config.Exclusive, reader: ledger{*e.Downstream}}, nil
	}
	return nil, fmt.Errorf("found an effect without a probe, expected one of http, value, sql, command, downstream")
}

// Read reads the state. An error says what was expected and what came: the probe could not be read, which tells nothing of
// the target's effects.
func (p *Probe) Read(ctx context.Context, from Source, s Subject) (Reading, error) {
	from.Base = strings.TrimRight(from.Base, "/")
	if from.Client == nil {
		from.Client = standard
	}
	r, err := p.reader.read(ctx, from, s)
	if err != nil {
		return Reading{}, fmt.Errorf("probe %s: %w", p.Name, err)
	}
	return r, nil
}

// Close gives back what the probe holds open.
func (p *Probe) Close() error { return p.reader.close() }

// Since is what came after an earlier reading of the same probe. Where both know the ids, what is new is told by them, so
// that something else that went away hides nothing; otherwise by the counts, and a smaller one is an error. The value is
// kept as it is read: Moves compares values.
func (r Reading) Since(before Reading) (Reading, error) {
	if len(r.IDs) == r.Count && len(before.IDs) == before.Count {
		left := make(map[string]int, len(before.IDs))
		for _, id := range before.IDs {
			left[id]++
		}
		var fresh []string
		for _, id := range r.IDs {
			if left[id] > 0 {
				left[id]--
				continue
			}
			fresh = append(fresh, id)
		}
		r.IDs, r.Count = fresh, len(fresh)
		return r, nil
	}
	if r.Count < before.Count {
		return Reading{}, fmt.Errorf("found %d where there were %d before: expected that nobody takes anything away meanwhile", r.Count, before.Count)
	}
	r.Count, r.IDs = r.Count-before.Count, nil
	return r, nil
}

// tellsApart says whether a template is filled in differently for every intent.
func tellsApart(op *config.Operation, list []template.Placeholder) bool {
	return slices.ContainsFunc(list, op.TellsApart)
}

type ledger struct{ effect config.LedgerEffect }

func (l ledger) read(_ context.Context, from Source, s Subject) (Reading, error) {
	if from.Gate == nil {
		return Reading{}, fmt.Errorf("there is no gate: expected target.downstream to be configured")
	}
	var r Reading
	for _, b := range from.Gate.Bookings(s.Markers, l.effect.Method, l.effect.Path) {
		r.IDs = append(r.IDs, b.ID)
		r.add(fmt.Sprintf("%s %s (key %q)", b.Method, b.Path, b.Key))
	}
	return r, nil
}

func (ledger) close() error { return nil }

// Bounds of what a reading keeps for reports.
const (
	maxItems = 20
	maxItem  = 500 // bytes
)

// add counts an effect and keeps its beginning.
func (r *Reading) add(text string) {
	r.Count++
	if len(r.Items) < maxItems {
		r.Items = append(r.Items, head(text, maxItem))
	}
}

// head is the beginning of a text, whole characters.
func head(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}
