package flow

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/oncespec/oncespec/mockapi/command"
	"github.com/oncespec/oncespec/mockapi/contract"
	"github.com/oncespec/oncespec/mockapi/reference"
	"github.com/oncespec/oncespec/mockapi/store"
)

const (
	defaultMarker = "Idempotent-Replayed"
	retryAfter    = "1" // seconds
	waitLimit     = 30 * time.Second
	waitPoll      = 100 * time.Millisecond // another process may settle what this one waits for
)

// Marker is the header field that tells a replay from a first answer, and its value on a replay.
func (f *Flow) Marker() (name, value string) {
	name, value = f.Contract.Marker.Name, f.Contract.Marker.Value
	if name == "" {
		name = defaultMarker
	}
	if value == "" {
		value = "true"
	}
	return name, value
}

// Write sends an answer to the client.
func Write(w http.ResponseWriter, answer Answer) {
	for name, values := range answer.Header {
		w.Header()[name] = values
	}
	if answer.Status != http.StatusNoContent {
		w.Header().Set("Content-Length", strconv.Itoa(len(answer.Body)))
	}
	w.WriteHeader(answer.Status)
	_, _ = w.Write(answer.Body) // a client that is gone gets its answer by asking again
}

func (f *Flow) replay(_ context.Context, _ *Call, entry Entry) (Answer, error) {
	name, value := f.Marker()
	return With(entry.Answer, name, value), nil
}

func (f *Flow) first(answer Answer) Answer {
	name, value := f.Marker()
	switch f.Contract.Marker.OnFirst {
	case "false":
		return With(answer, name, "false")
	case "same":
		return With(answer, name, value)
	}
	return answer
}

// conflict tells nothing of the first request: whoever has the key need not be who sent it.
func (f *Flow) conflict(_ context.Context, call *Call, entry Entry) (Answer, error) {
	declared, title := f.Contract.Mismatch, "The key was used for another request; use a new key for a new request"
	if entry.Operation != call.Operation.Name && f.Contract.OtherOperation.Action == contract.ActionRefuse {
		declared = f.Contract.OtherOperation
	}
	return Problem(refuse(declared, http.StatusUnprocessableEntity, "idempotency_key_reused", title, "")), nil
}

func (f *Flow) expired(context.Context, *Call, Entry) (Answer, error) {
	return Problem(refuse(f.Contract.Expired, http.StatusUnprocessableEntity, "idempotency_key_expired",
		"The key's lifetime is over; use a new key for a new request", "")), nil
}

// wait tells a duplicate to come back, or has it wait where the contract wants that.
func (f *Flow) wait(ctx context.Context, call *Call, _ Entry) (Answer, bool, error) {
	if f.Contract.InFlight.Action != contract.ActionWait {
		return f.InFlight(), false, nil
	}
	limit, poll := time.NewTimer(waitLimit), time.NewTicker(waitPoll)
	defer limit.Stop()
	defer poll.Stop()
	for {
		settled := f.settled.listen(call.ID)
		running := false
		if err := f.Store.View(ctx, func(r store.Reader) error {
			entry, err := Load(r, call.ID)
			running = err == nil && entry.State == reference.InProgress
			return nil
		}); err != nil {
			return Answer{}, false, err
		}
		if !running {
			return Answer{}, true, nil
		}
		select {
		case <-settled:
		case <-poll.C:
		case <-f.stopping:
			return f.InFlight(), false, nil
		case <-limit.C:
			return f.InFlight(), false, nil
		case <-call.HTTP.Context().Done(): // nobody is waiting any more
			return f.InFlight(), false, nil
		case <-ctx.Done():
			return Answer{}, false, ctx.Err()
		}
	}
}

// InFlight tells a client to come back.
func (f *Flow) InFlight() Answer {
	declared := contract.Response{Statuses: f.Contract.InFlight.Statuses, Code: f.Contract.InFlight.Code}
	return With(Problem(refuse(declared, http.StatusConflict, "idempotency_in_flight", "The first request with this key is still running", "")),
		"Retry-After", retryAfter)
}

// status tells a tenant about its own operations only. A released key reads like one that was never used: nothing was done.
func (f *Flow) status(ctx context.Context, principal Principal, key string) (Answer, error) {
	entry, err := f.Newest(ctx, principal.Tenant, key)
	if err != nil {
		return Answer{}, err
	}
	if !Readable(entry) {
		return Answer{}, command.NotFound("operation", key)
	}
	return StatusAnswer(key, entry)
}

// Readable tells whether there is anything to say of an entry: of one that was never claimed, did nothing or is forgotten
// there is not.
func Readable(entry Entry) bool {
	switch entry.State {
	case reference.Absent, reference.Released, reference.Expired:
		return false
	}
	return true
}

// Newest is the tenant's latest entry under a key, which may be in use on several routes; zero where there is none.
func (f *Flow) Newest(ctx context.Context, tenant, key string) (newest Entry, err error) {
	err = f.Store.View(ctx, func(r store.Reader) error {
		newest = Entry{}
		now, err := f.Now(r)
		if err != nil {
			return err
		}
		claims, err := r.ClaimsByKey(tenant, f.StoredKey(key))
		if err != nil {
			return err
		}
		for _, claim := range claims {
			entry, err := decode(claim)
			if err != nil {
				return err
			}
			if end, ever := entry.Expires(f.Contract); ever && !now.Before(end) {
				continue
			}
			if newest.State == reference.Absent || entry.Created.After(newest.Created) {
				newest = entry
			}
		}
		return nil
	})
	return newest, err
}

// StatusAnswer is the status resource of an entry.
func StatusAnswer(key string, entry Entry) (Answer, error) {
	type result struct {
		Status   int    `json:"status"`
		Location string `json:"location,omitzero"`
	}
	var found *result
	if entry.State.Final() {
		found = &result{Status: entry.Answer.Status, Location: http.Header(entry.Answer.Header).Get("Location")}
	}
	answer, err := command.JSON(http.StatusOK, "", struct {
		Key    string          `json:"key"`
		State  reference.State `json:"state"`
		Result *result         `json:"result,omitempty"`
	}{key, entry.State, found})
	return answerOf(answer), err
}
