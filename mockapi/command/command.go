package command

import (
	"fmt"
	"net/url"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/oncespec/oncespec/mockapi/store"
)

// Operation is one kind of write.
type Operation struct {
	Name    string // unique: "tickets.create"
	Method  string
	Pattern string   // of the path, with {parameters}
	Keyed   bool     // repeats are recognised by a key; otherwise the identity is in the path, or repeats do not matter
	Books   bool     // part of the work is a booking with the provider downstream
	Media   []string // types of body that it takes; nil: application/json

	// Decode makes a command of a request, or says with a *Refusal why it is invalid.
	Decode func(Request) (Command, error)
	// Restore makes the command of its JSON form again.
	Restore func(stored []byte) (Command, error)
}

// Request is the part of an HTTP request that means something to a domain.
type Request struct {
	Params map[string]string // of the path, percent-decoded
	Query  url.Values
	Media  string // Content-Type, as it was sent
	Body   []byte
}

// Command is one validated write: all that is needed to do it, and nothing of how it was asked for. Its JSON form is what
// is stored until it is done; free-form parts keep their spelling, numbers their exact value.
type Command interface {
	// Check asks the present state whether the write can mean anything, such as whether its parent exists. It decides
	// before anything is done or remembered, so it returns a *Refusal that the same request may not meet later.
	Check(r store.Reader, tenant string) error

	// Decide returns the business's final refusal, or nil. It depends on nothing but the command.
	Decide() *Refusal

	// Apply makes the effect in tx and returns the answer that tells of it.
	Apply(tx store.Tx, env Env) (Answer, error)
}

// Env is what an effect takes from its surroundings.
type Env struct {
	Tenant string
	Now    time.Time
	NewID  func() string // unique text, letters and digits
}

// Answer is a successful answer.
type Answer struct {
	Status      int
	ContentType string // empty with an empty Body
	Location    string // of what was created; may be empty
	Body        []byte
}

// Read is one kind of reading request.
type Read struct {
	Pattern string
	Serve   func(r store.Reader, tenant string, request Request) (Answer, error) // the error may be a *Refusal
}

// Restored is the Restore of an operation whose commands are of type C.
func Restored[C Command](stored []byte) (Command, error) {
	var c C
	if err := json.Unmarshal(stored, &c); err != nil {
		return nil, fmt.Errorf("restore a stored command: %w", err)
	}
	return c, nil
}

// JSON is an answer whose body is value in JSON.
func JSON(status int, location string, value any) (Answer, error) {
	body, err := json.Marshal(value, json.Deterministic(true))
	if err != nil {
		return Answer{}, fmt.Errorf("answer: %w", err)
	}
	return Answer{Status: status, ContentType: "application/json", Location: location, Body: body}, nil
}
