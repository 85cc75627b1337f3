package store

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"time"
)

// Memory is a Store that lives and dies with the process. The zero value is empty and ready for use.
type Memory struct {
	mu        sync.RWMutex
	closed    bool
	claims    map[ID]Claim
	outbox    map[string]Outgoing
	members   memoryMembers
	documents map[documentID]Document
	order     map[collection][]documentID // in order of Seq: all, and those of each Lookup
	seq       int64
}

type (
	documentID struct{ kind, tenant, id string }
	collection struct{ kind, tenant, lookup string } // lookup empty: whatever it is
)

var errClosed = errors.New("memory store: closed")

// View implements Store.
func (m *Memory) View(ctx context.Context, read func(Reader) error) error {
	m.mu.RLock()
	defer m.mu.RUnlock()
	if m.closed {
		return errClosed
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return read(memoryTx{memory: m})
}

// Update implements Store. One transaction runs at a time; it is undone step by step unless it ends well.
func (m *Memory) Update(ctx context.Context, change func(Tx) error) (err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return errClosed
	}
	if m.claims == nil {
		m.claims, m.documents = map[ID]Claim{}, map[documentID]Document{}
		m.outbox = map[string]Outgoing{}
		m.order = map[collection][]documentID{}
	}
	var undo []func()
	committed := false
	defer func() {
		if committed {
			return
		}
		for _, step := range slices.Backward(undo) {
			step()
		}
	}()
	if err := change(memoryTx{memory: m, undo: &undo}); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	committed = true
	return nil
}

// Close implements Store. It waits for the running transactions.
func (m *Memory) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.closed = true
	return nil
}

// memoryTx works on the maps in place, under the store's lock.
type memoryTx struct {
	memory *Memory
	undo   *[]func()
}

func (t memoryTx) Claim(id ID) (Claim, error) {
	claim, ok := t.memory.claims[id]
	if !ok {
		return Claim{}, ErrNotFound
	}
	claim.Data = bytes.Clone(claim.Data)
	return claim, nil
}

func (t memoryTx) ClaimsByKey(tenant, key string) ([]Claim, error) {
	return t.filter(func(c Claim) bool { return c.Tenant == tenant && c.Key == key }), nil
}

func (t memoryTx) OpenClaims() ([]Claim, error) {
	return t.filter(func(c Claim) bool { return c.Open }), nil
}

func (t memoryTx) SettledClaims(by time.Time, most int) ([]Claim, error) {
	found := t.filter(func(c Claim) bool { return !c.Settled.IsZero() && !c.Settled.After(by) })
	slices.SortStableFunc(found, func(a, b Claim) int { return a.Settled.Compare(b.Settled) })
	return found[:min(most, len(found))], nil
}

func (t memoryTx) filter(keep func(Claim) bool) []Claim {
	var found []Claim
	for _, claim := range t.memory.claims {
		if keep(claim) {
			claim.Data = bytes.Clone(claim.Data)
			found = append(found, claim)
		}
	}
	slices.SortFunc(found, func(a, b Claim) int {
		return cmp.Or(cmp.Compare(a.Scope, b.Scope), cmp.Compare(a.Key, b.Key))
	})
	return found
}

func (t memoryTx) InsertClaim(claim Claim) error {
	if _, taken := t.memory.claims[claim.ID]; taken {
		return ErrExists
	}
	return t.PutClaim(claim)
}

func (t memoryTx) PutClaim(claim Claim) error {
	remember(t, t.memory.claims, claim.ID)
	claim.Data, claim.Settled = bytes.Clone(claim.Data), settled(micros(claim.Settled))
	t.memory.claims[claim.ID] = claim
	return nil
}

func (t memoryTx) DeleteClaim(id ID) error {
	remember(t, t.memory.claims, id)
	delete(t.memory.claims, id)
	return nil
}

func (t memoryTx) Document(kind, tenant, id string) (Document, error) {
	document, ok := t.memory.documents[documentID{kind, tenant, id}]
	if !ok {
		return Document{}, ErrNotFound
	}
	document.Body = bytes.Clone(document.Body)
	return document, nil
}

func (t memoryTx) Documents(query Query) ([]Document, error) {
	in := collection{query.Kind, query.Tenant, query.Lookup}
	var found []Document
	for _, id := range t.memory.order[in][t.place(in, query.After+1):] {
		if query.Limit > 0 && len(found) == query.Limit {
			break
		}
		document := t.memory.documents[id]
		document.Body = bytes.Clone(document.Body)
		found = append(found, document)
	}
	return found, nil
}

func (t memoryTx) PutDocument(document Document) error {
	m, id := t.memory, documentID{document.Kind, document.Tenant, document.ID}
	document.Body = bytes.Clone(document.Body)
	before, existed := m.documents[id]
	if existed {
		document.Seq = before.Seq
		*t.undo = append(*t.undo, func() { m.documents[id] = before })
	} else {
		m.seq++
		document.Seq = m.seq
		*t.undo = append(*t.undo, func() { delete(m.documents, id); m.seq-- })
	}
	m.documents[id] = document
	if !existed {
		t.enlist(collection{document.Kind, document.Tenant, ""}, id, document.Seq)
	}
	if document.Lookup == before.Lookup {
		return nil
	}
	if before.Lookup != "" {
		t.delist(collection{document.Kind, document.Tenant, before.Lookup}, id, document.Seq)
	}
	if document.Lookup != "" {
		t.enlist(collection{document.Kind, document.Tenant, document.Lookup}, id, document.Seq)
	}
	return nil
}

// enlist lists a document at its place, which is the end but where its Lookup changed.
func (t memoryTx) enlist(in collection, id documentID, seq int64) {
	m, at := t.memory, t.place(in, seq)
	m.order[in] = slices.Insert(m.order[in], at, id)
	*t.undo = append(*t.undo, func() { m.order[in] = slices.Delete(m.order[in], at, at+1) })
}

func (t memoryTx) delist(in collection, id documentID, seq int64) {
	m, at := t.memory, t.place(in, seq)
	m.order[in] = slices.Delete(m.order[in], at, at+1)
	*t.undo = append(*t.undo, func() { m.order[in] = slices.Insert(m.order[in], at, id) })
}

// place is where a document of that Seq is listed, or would be.
func (t memoryTx) place(in collection, seq int64) int {
	at, _ := slices.BinarySearchFunc(t.memory.order[in], seq, func(id documentID, seq int64) int {
		return cmp.Compare(t.memory.documents[id].Seq, seq)
	})
	return at
}
