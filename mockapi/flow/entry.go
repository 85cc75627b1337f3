package flow

import (
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/klauspost/compress/s2"

	"github.com/oncespec/oncespec/mockapi/reference"
	"github.com/oncespec/oncespec/mockapi/store"
)

// Entry is what the store keeps for one claimed key: the record, and all that recovery needs to finish the work.
type Entry struct {
	reference.Record
	Tenant    string         `json:"tenant"`
	Operation string         `json:"operation"`
	Command   jsontext.Value `json:"command"` // of the request that claimed the key

	// Owes is a call downstream. While the entry is open the call is in the outbox, under the entry's downstream key.
	Owes bool   `json:"owes,omitempty"`
	call []byte // not nil: to be put there
}

// ID is where the entry is stored.
func (e Entry) ID() store.ID { return store.ID{Scope: e.Scope, Key: e.Key} }

// Load reads an entry; store.ErrNotFound where there is none.
func Load(r store.Reader, id store.ID) (Entry, error) {
	claim, err := r.Claim(id)
	if err != nil {
		return Entry{}, err
	}
	return decode(claim)
}

// Save writes an entry, and with it the call that it owes.
func Save(tx store.Tx, e Entry) error {
	claim, err := encode(e)
	if err != nil {
		return err
	}
	if err := tx.PutClaim(claim); err != nil {
		return err
	}
	return owe(tx, e)
}

// Insert is Save of an entry that is new; store.ErrExists where there is one.
func Insert(tx store.Tx, e Entry) error {
	claim, err := encode(e)
	if err != nil {
		return err
	}
	if err := tx.InsertClaim(claim); err != nil {
		return err
	}
	return owe(tx, e)
}

// owe keeps the outbox: a call is in it from the claim on until the entry is settled, in the transactions that do these.
func owe(tx store.Tx, e Entry) error {
	switch {
	case e.Owes && !isOpen(e.State):
		return tx.DeleteOutgoing(e.Downstream)
	case e.Owes && e.call != nil:
		return tx.PutOutgoing(store.Outgoing{Key: e.Downstream, Body: e.call})
	}
	return nil
}

func isOpen(s reference.State) bool { return s == reference.InProgress || s == reference.Unknown }

// packFrom is from how many bytes on the body of an answer is kept packed: most of what the store does for a long one is to
// write and read its pages.
const packFrom = 16 << 10

// kept is an entry as the store has it.
type kept struct {
	Entry
	Packed []byte `json:"packed,omitempty"` // the answer's body, instead of in the answer
}

func decode(claim store.Claim) (Entry, error) {
	var k kept
	err := json.Unmarshal(claim.Data, &k)
	if err == nil && k.Packed != nil {
		k.Answer.Body, err = s2.Decode(nil, k.Packed)
	}
	if err != nil {
		return Entry{}, fmt.Errorf("claim record %s %s: %w", claim.Scope, claim.Key, err)
	}
	return k.Entry, nil
}

func encode(e Entry) (store.Claim, error) {
	k := kept{Entry: e}
	if len(e.Answer.Body) >= packFrom {
		k.Packed, k.Answer.Body = s2.Encode(nil, e.Answer.Body), nil
	}
	data, err := json.Marshal(k)
	if err != nil {
		return store.Claim{}, fmt.Errorf("claim record %s %s: %w", e.Scope, e.Key, err)
	}
	open := isOpen(e.State)
	claim := store.Claim{ID: e.ID(), Tenant: e.Tenant, Open: open, Data: data}
	if !open && e.State != reference.Expired {
		claim.Settled = e.Updated
	}
	return claim, nil
}
