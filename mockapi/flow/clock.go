package flow

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/oncespec/oncespec/mockapi/command"
	"github.com/oncespec/oncespec/mockapi/store"
)

const clockKind = "clock" // of the one document that says how far the clock was moved

// Now is the time that records carry. Where Settings.Clock allows it to be moved, how far is read in the transaction that the
// time is for, so that all servers on the store agree.
func (f *Flow) Now(r store.Reader) (time.Time, error) {
	now := time.Now().UTC().Truncate(time.Microsecond) // as fine as every store can keep it
	if !f.Settings.Clock {
		return now, nil
	}
	offset, err := clockOffset(r)
	return now.Add(offset), err
}

func clockOffset(r store.Reader) (time.Duration, error) {
	document, err := r.Document(clockKind, "", clockKind)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return 0, nil
	case err != nil:
		return 0, err
	}
	offset, err := time.ParseDuration(string(document.Body))
	if err != nil {
		return 0, fmt.Errorf("stored clock: %w", err)
	}
	return offset, nil
}

// farthest is how far the clock can be moved in all: beyond any lifetime, and within what JSON can tell of a time.
const farthest = 200 * 365 * 24 * time.Hour

// Advance moves the clock of all servers on the store forward, and removes what expired by then before it returns.
func (f *Flow) Advance(ctx context.Context, by time.Duration) error {
	if by < 0 {
		return command.Invalid(command.Field{Pointer: "/advance", Detail: "expected a duration that is not negative, such as 90s"})
	}
	err := f.Store.Update(ctx, func(tx store.Tx) error {
		offset, err := clockOffset(tx)
		if err != nil {
			return err
		}
		if by > farthest-offset {
			return command.Invalid(command.Field{Pointer: "/advance", Detail: "the clock cannot be moved that far"})
		}
		return tx.PutDocument(store.Document{Kind: clockKind, ID: clockKind, Body: []byte((offset + by).String())})
	})
	if err != nil {
		return err
	}
	_, err = f.Collect(ctx)
	return err
}

// MoveClock answers a request with {"advance": "90s"} in its body by moving the clock.
func (f *Flow) MoveClock(r *http.Request) Answer {
	body, err := readBody(r)
	if err != nil {
		return f.Trouble(err)
	}
	moved, err := command.Decode[struct {
		Advance string `json:"advance"`
	}](body)
	if err != nil {
		return f.Trouble(err)
	}
	by, err := time.ParseDuration(moved.Advance)
	if err != nil {
		return f.Trouble(command.Invalid(command.Field{Pointer: "/advance", Detail: "expected a duration such as 90s"}))
	}
	if err := f.Advance(r.Context(), by); err != nil {
		return f.Trouble(err)
	}
	return Answer{Status: http.StatusNoContent}
}

// ReadClock answers a request for the time.
func (f *Flow) ReadClock(r *http.Request) Answer {
	var now time.Time
	var offset time.Duration
	err := f.Store.View(r.Context(), func(reader store.Reader) (err error) {
		if offset, err = clockOffset(reader); err == nil {
			now, err = f.Now(reader)
		}
		return err
	})
	if err != nil {
		return f.Trouble(err)
	}
	answer, err := command.JSON(http.StatusOK, "", struct {
		Now    time.Time `json:"now"`
		Offset string    `json:"offset"`
	}{now, offset.String()})
	if err != nil {
		return f.Trouble(err)
	}
	return answerOf(answer)
}
