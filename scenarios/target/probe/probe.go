package probe

import (
	"context"
	"errors"
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
	Dir    string       // working folder of commands; empty: that of this process
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
	Value string   // of a value probe: a decimal, exact, without exponent; 0 where what holds it is not there (404, 410)
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
		return &Probe{Name: "downstream", Kind: Ledger, reader: ledger{}}, nil
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

// ledger stands for what is read at the gate, which this package does not know: whoever has the gate reads it.
type ledger struct{}

func (ledger) read(context.Context, Source, Subject) (Reading, error) {
	return Reading{}, errors.New("bookings are read at the gate, not here")
}

func (ledger) close() error { return nil }

// head is the beginning of a text, whole characters.
func head(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}
