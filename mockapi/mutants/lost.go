package mutants

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/oncespec/oncespec/mockapi/flow"
	"github.com/oncespec/oncespec/mockapi/reference"
	"github.com/oncespec/oncespec/mockapi/store"
)

var lostMutants = []Mutant{
	{
		Name:      "hang-up-releases-claim",
		Defect:    "When the client hangs up the claim is released, while the work goes on: the retry executes beside it.",
		Stage:     "Execute",
		Operation: "create-ticket",
		Must:      []string{"lost/slow-response"},
		May: []May{
			{"lost/client-gone", "the retry may come before the first work is done"},
			{"downstream/reconciles", "two resources stand against one booking"},
		},
		Install: func(f *flow.Flow) {
			unfenced(f)
			execute, wait := f.Execute, f.Wait
			f.Execute = func(ctx context.Context, call *flow.Call, entry flow.Entry) (flow.Answer, error) {
				stop := context.AfterFunc(call.HTTP.Context(), func() {
					err := f.Store.Update(ctx, func(tx store.Tx) error { return tx.DeleteClaim(entry.ID()) })
					if err != nil {
						f.Log.Warn("release on hang-up", "error", err)
					}
				})
				defer stop()
				return execute(ctx, call, entry)
			}
			f.Wait = func(ctx context.Context, call *flow.Call, entry flow.Entry) (flow.Answer, bool, error) {
				pause(ctx, 20*window) // it looks twice before it turns a client away
				var gone bool
				err := f.Store.View(ctx, func(r store.Reader) error {
					_, err := flow.Load(r, call.ID)
					gone = errors.Is(err, store.ErrNotFound)
					return nil
				})
				if err != nil || gone {
					return flow.Answer{}, gone, err
				}
				return wait(ctx, call, entry)
			}
		},
	},
	{
		Name:      "hang-up-stops-work",
		Defect:    "The work is tied to the connection: a client that hangs up leaves its key claimed by nobody, for ever.",
		Stage:     "Execute",
		Operation: "create-ticket",
		Must:      []string{"lost/client-gone"},
		May: []May{
			{"lost/slow-response", "so does a client that gives up"},
		},
		Install: func(f *flow.Flow) {
			execute, fail := f.Execute, f.Fail
			f.Execute = func(ctx context.Context, call *flow.Call, entry flow.Entry) (flow.Answer, error) {
				tied, cancel := context.WithCancel(ctx)
				defer cancel()
				defer context.AfterFunc(call.HTTP.Context(), cancel)()
				return execute(tied, call, entry)
			}
			f.Fail = func(ctx context.Context, entry flow.Entry, failure reference.Fail) (flow.Answer, error) {
				if err := ctx.Err(); err != nil {
					return flow.Answer{}, err
				}
				return fail(ctx, entry, failure)
			}
		},
	},
	{
		Name:      "hang-up-books-again",
		Defect:    "When the client hangs up a watchdog takes the booking for lost and makes it again, under a key of its own.",
		Stage:     "Execute",
		Operation: "create-ticket",
		Must:      []string{"lost/slow-response", "lost/client-gone", "downstream/one-effect"},
		Install: func(f *flow.Flow) {
			execute := f.Execute
			f.Execute = func(ctx context.Context, call *flow.Call, entry flow.Entry) (flow.Answer, error) {
				again := make(chan struct{})
				stop := context.AfterFunc(call.HTTP.Context(), func() {
					defer close(again)
					f.Book(ctx, f.Unprotected(call))
				})
				answer, err := execute(ctx, call, entry)
				if !stop() {
					<-again
				}
				return answer, err
			}
		},
	},
	{
		Name:      "record-waits-for-the-client",
		Defect:    "It records the result when the client's connection has ended: a retry that comes before executes again.",
		Stage:     "Deliver",
		Operation: "create-ticket",
		Must:      []string{"lost/response", "lost/partial-response", "lost/reset", "lost/gateway-error"},
		May: []May{
			{"crash/after-record", "where it is killed before the connection ends there is no record"},
			{"downstream/one-effect", "the second execution is booked under a key of its own"},
		},
		Install: func(f *flow.Flow) {
			late(f, time.Hour, func(ctx context.Context, call *flow.Call) (flow.Answer, bool, error) {
				entry, err := settled(ctx, f, call.ID, 40*window) // a connection may take a moment to end
				if err != nil || entry.State.Final() {
					return flow.Answer{}, false, err
				}
				answer, err := f.Unkeyed(ctx, call)
				return answer, true, err
			})
		},
	},
	{
		Name:      "half-request-executes",
		Defect:    "It takes what came of a body that was cut for the body, and closes its brackets itself.",
		Stage:     "ReadBody",
		Operation: "create-ticket",
		Must:      []string{"lost/partial-request"},
		Install: func(f *flow.Flow) {
			readBody := f.ReadBody
			f.ReadBody = func(r *http.Request) ([]byte, error) {
				whole, cut := io.ReadAll(r.Body)
				if errors.Is(cut, io.ErrUnexpectedEOF) {
					return closed(whole), nil
				}
				r.Body = io.NopCloser(strings.NewReader(string(whole)))
				return readBody(r)
			}
		},
	},
}

// closed adds the quotation mark and brackets that are missing at the end of JSON.
func closed(head []byte) []byte {
	var open []byte
	quoted, escaped := false, false
	for _, b := range head {
		switch {
		case escaped:
			escaped = false
		case quoted && b == '\\':
			escaped = true
		case b == '"':
			quoted = !quoted
		case quoted:
		case b == '{':
			open = append(open, '}')
		case b == '[':
			open = append(open, ']')
		case (b == '}' || b == ']') && len(open) > 0:
			open = open[:len(open)-1]
		}
	}
	if quoted {
		head = append(head, '"')
	}
	for i := len(open) - 1; i >= 0; i-- {
		head = append(head, open[i])
	}
	return head
}
