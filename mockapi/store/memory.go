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
	order     map[collection][]documentID // in order of Seq
	seq       int64
}

type (
	documentID struct{ kind, tenant, id string }
	collection struct{ kind, tenant string }
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
	order := t.memory.order[collection{query.Kind, query.Tenant}]
	start, _ := slices.BinarySearchFunc(order, query.After+1, func(id documentID, seq int64) int {
		return cmp.Compare(t.memory.documents[id].Seq, seq)
	})
	var found []Document
	for _, id := range order[start:] {
		if query.Limit > 0 && len(found) == query.Limit {
			break
		}
		document := t.memory.documents[id]
		if query.Lookup != "" && document.Lookup != query.Lookup {
			continue
		}
		document.Body = bytes.Clone(document.Body)
		found = append(found, document)
	}
	return found, nil
}

func (t memoryTx) PutDocument(document Document) error {
	m, id := t.memory, documentID{document.Kind, document.Tenant, document.ID}
	in := collection{document.Kind, document.Tenant}
	document.Body = bytes.Clone(document.Body)
	before, existed := m.documents[id]
	if existed {
		document.Seq = before.Seq
		*t.undo = append(*t.undo, func() { m.documents[id] = before })
	} else {
		m.seq++
		document.Seq = m.seq
		m.order[in] = append(m.order[in], id)
		*t.undo = append(*t.undo, func() {
			delete(m.documents, id)
			m.order[in] = m.order[in][:len(m.order[in])-1]
			m.seq--
		})
	}
	m.documents[id] = document
	return nil
}
