package store

import (
	"context"
	"errors"
	"time"
)

// Errors that callers tell apart with errors.Is.
var (
	ErrNotFound = errors.New("not found")
	ErrExists   = errors.New("already exists")

	// ErrUnavailable is a database that cannot be reached, does not answer in time, or turns everybody away. Nothing of the
	// transaction remains, unless it was cut off while it was being committed: then only looking tells. Later transactions
	// work again as soon as the database does.
	ErrUnavailable = errors.New("unavailable")
)

// Store runs transactions. All methods are safe for concurrent use.
type Store interface {
	// View runs read with one consistent picture: it sees all that was committed before it began and nothing else.
	View(ctx context.Context, read func(Reader) error) error

	// Update runs change as one transaction, isolated from all others. Where change returns an error, panics, or ctx
	// ends before the commit, nothing of it remains. A store that resolves conflicts by running transactions again may
	// call change more than once, so change keeps its hands off everything but the Tx and variables it sets afresh.
	Update(ctx context.Context, change func(Tx) error) error

	// Hold makes the caller a member by a name, which must be new, until it is released or the process ends, however it ends.
	Hold(ctx context.Context, name string) (Holding, error)
	// Members are those who hold a name, in order of name. One that only stopped holds its name still. Where the link to the
	// database breaks, or a file is removed, a name is lost early.
	Members(ctx context.Context) ([]Member, error)

	// Close releases the store. What was committed stays, as far as the store is durable.
	Close() error
}

// Reader reads within a transaction; it is not usable after its function returned, nor by several goroutines.
type Reader interface {
	Claim(id ID) (Claim, error)                            // ErrNotFound
	ClaimsByKey(tenant, key string) ([]Claim, error)       // in order of scope
	OpenClaims() ([]Claim, error)                          // of all tenants, in order of scope and key
	SettledClaims(by time.Time, most int) ([]Claim, error) // those that have a Settled, and none after by; the oldest first
	Outgoing(key string) (Outgoing, error)                 // ErrNotFound
	Document(kind, tenant, id string) (Document, error)    // ErrNotFound
	Documents(query Query) (documents []Document, _ error) // in order of Seq
}

// Tx reads and writes within a transaction, and reads what it wrote.
type Tx interface {
	Reader
	InsertClaim(claim Claim) error // ErrExists where its ID is taken
	PutClaim(claim Claim) error    // inserts or replaces
	DeleteClaim(id ID) error       // no error where there is none

	PutOutgoing(message Outgoing) error // inserts or replaces
	DeleteOutgoing(key string) error    // no error where there is none

	// PutDocument inserts the document, or replaces the one of equal kind, tenant and id, which keeps its Seq.
	PutDocument(document Document) error
}

// ID names a claim: a key within the scope that the key is unique in.
type ID struct {
	Scope string
	Key   string
}

// Claim is one claim record.
type Claim struct {
	ID
	Tenant string
	Open   bool // the operation is not settled yet, so recovery has to look at it
	Data   []byte

	// Settled is when the operation ended, to the microsecond; zero where it is Open, or where nothing is left to collect.
	Settled time.Time
}

// Outgoing is a row of the outbox: a call to somebody else that a claim owes.
type Outgoing struct {
	Key  string // the call's own key, unique
	Body []byte
}

// Holding is a name that is held.
type Holding interface {
	// Beat sends a heartbeat: the member's Beat changes. It waits for no transaction, nor does any wait for it. After an error
	// the name may be lost; release it then.
	Beat(ctx context.Context) error
	// Release gives the name up.
	Release() error
}

// Member is who holds a name.
type Member struct {
	Name string
	Beat int64 // changes with each heartbeat
}

// Document is one piece of domain data. Kind, Tenant and ID identify it.
type Document struct {
	Kind   string
	Tenant string
	ID     string
	Lookup string // what lists of its kind are narrowed by
	Seq    int64  // order of insertion; given by the store, ignored on writing
	Body   []byte
}

// Query selects documents of one kind and tenant.
type Query struct {
	Kind   string
	Tenant string
	Lookup string // empty: all
	After  int64  // only documents with a greater Seq
	Limit  int    // 0: no limit
}
