package reference

import (
	"encoding/binary"
	"time"

	"github.com/google/uuid"

	"github.com/oncespec/oncespec/mockapi/contract"
)

// State is how far the operation under a key has come. The zero value is a key that was never claimed.
type State string

// The states. Succeeded and Failed are final: nothing but the end of the key's lifetime changes such a record.
const (
	Absent     State = ""
	InProgress State = "in_progress" // an owner is at work
	Succeeded  State = "succeeded"   // done, with the answer that every retry gets
	Failed     State = "failed"      // not done and never will be, with the answer that every retry gets
	Unknown    State = "unknown"     // nobody knows whether it was done; it is found out, never tried again
	Expired    State = "expired"     // was final until the key's lifetime ended; kept where the contract refuses the key from then on
	Released   State = "released"    // an attempt is known to have changed nothing; the next claim executes
)

// Final reports whether the record has the answer that every later claim gets.
func (s State) Final() bool { return s == Succeeded || s == Failed }

// Record is what is kept for one key. The zero value is the record of a key that was never claimed.
type Record struct {
	Scope       string    `json:"scope"` // what the key is unique within, in the store's own words
	Key         string    `json:"key"`
	Fingerprint string    `json:"fingerprint"` // of the request that claimed it
	State       State     `json:"state"`
	Owner       string    `json:"owner"`           // the attempt that holds or held it
	Version     int64     `json:"version"`         // fencing: grows with every owner, from 1
	Answer      Answer    `json:"answer,omitzero"` // of a final record
	Downstream  string    `json:"downstream"`      // the key for calls that this operation makes; one for all attempts
	Created     time.Time `json:"created"`
	Updated     time.Time `json:"updated"`
}

// Expires is when the lifetime of a record ends: a declared time after its last change, where nothing is open any more.
func (r Record) Expires(c contract.Contract) (at time.Time, ever bool) {
	if c.Lifetime <= 0 || !r.State.Final() && r.State != Released {
		return time.Time{}, false
	}
	return r.Updated.Add(c.Lifetime), true
}

// Answer is what the caller was or would have been told. Step keeps it as it is given; nobody may change it afterwards.
type Answer struct {
	Status int                 `json:"status"`
	Header map[string][]string `json:"header,omitempty"`
	Body   []byte              `json:"body,omitempty"`
}

// downstreamKey is DownstreamKey, but for each lifetime of the key another one. What is claimed again was completed a
// lifetime ago or more, so the two claims lie in different spans of that length.
func downstreamKey(c contract.Contract, scope, key string, now time.Time) string {
	first := DownstreamKey(scope, key)
	if c.Lifetime <= 0 {
		return first
	}
	span := now.Unix() / int64(c.Lifetime/time.Second)
	return uuid.NewSHA1(uuid.MustParse(first), binary.AppendVarint(nil, span)).String()
}

// DownstreamKey is the key under which the operation of (scope, key) calls others: a UUID, always the same for equal
// arguments, and another one for any others.
func DownstreamKey(scope, key string) string {
	name := binary.AppendUvarint(nil, uint64(len(scope)))
	name = append(name, scope...)
	return uuid.NewSHA1(downstreamNamespace, append(name, key...)).String()
}

var downstreamNamespace = uuid.MustParse("b0d5b3f4-6b1e-4c39-9f0a-6f3d8f1f5c27")
