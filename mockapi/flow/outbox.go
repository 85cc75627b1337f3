package flow

import (
	"context"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/oncespec/oncespec/mockapi/store"
)

// booking is the body of the call that an entry's work makes.
func booking(entry Entry) ([]byte, error) {
	body, err := json.Marshal(struct {
		Operation string         `json:"operation"`
		Tenant    string         `json:"tenant"`
		Command   jsontext.Value `json:"command"`
	}{entry.Operation, entry.Tenant, entry.Command})
	if err != nil {
		return nil, fmt.Errorf("booking for %s: %w", entry.Operation, err)
	}
	return body, nil
}

// book does the downstream part of an entry's work: it has the call in the outbox delivered and waits for what comes of it.
func (f *Flow) book(ctx context.Context, entry Entry) Outcome {
	if !f.books(entry) {
		return Booked
	}
	if !entry.Owes { // it is not stored
		return f.BookAnyway(ctx, entry)
	}
	work, leave, err := f.enter(ctx)
	if err != nil {
		return Unsure // closing; the call stays in the outbox
	}
	came := make(chan Outcome, 1)
	go func() {
		defer leave()
		came <- f.deliver(work, entry)
	}()
	select {
	case outcome := <-came:
		return outcome
	case <-ctx.Done(): // nobody waits for it any more
		return Unsure
	}
}

// deliver makes the call that is in the outbox for an entry. An owner that was replaced, or whose entry is settled by now,
// makes none: what it would do is somebody else's to do, or done.
func (f *Flow) deliver(ctx context.Context, entry Entry) Outcome {
	var due store.Outgoing
	err := f.Store.View(ctx, func(r store.Reader) error {
		now, err := Load(r, entry.ID())
		if err != nil {
			return err
		}
		if now.Owner != entry.Owner || now.Version != entry.Version {
			return ErrReplaced
		}
		due, err = r.Outgoing(entry.Downstream)
		return err
	})
	if err != nil {
		f.Log.Info("a call is not made", "operation", entry.Operation, "error", err)
		return NotBooked
	}
	return f.call(ctx, entry, due.Body)
}

// BookAnyway makes the call of an entry's work whoever owns the entry, also where it is not stored and so not in the outbox.
func (f *Flow) BookAnyway(ctx context.Context, entry Entry) Outcome {
	if !f.books(entry) {
		return Booked
	}
	body, err := booking(entry)
	if err != nil {
		f.Log.Error("a call cannot be made", "error", err)
		return NotBooked
	}
	return f.call(ctx, entry, body)
}

// call asks for a booking and, where the answer is not a plain yes, finds out what became of it.
func (f *Flow) call(ctx context.Context, entry Entry, body []byte) Outcome {
	key := f.DownstreamKey(entry)
	if f.Provider.Book(ctx, key, body) {
		return Booked
	}
	return f.Provider.Lookup(ctx, key)
}
