package store

import (
	"cmp"
	"context"
	"slices"
	"sync"
)

// memoryMembers have a lock of their own, so that they wait for no transaction.
type memoryMembers struct {
	mu   sync.Mutex
	held []*memoryHolding
}

type memoryHolding struct {
	in     *memoryMembers
	member Member
}

// Hold implements Store.
func (m *Memory) Hold(_ context.Context, name string) (Holding, error) {
	m.members.mu.Lock()
	defer m.members.mu.Unlock()
	h := &memoryHolding{&m.members, Member{Name: name}}
	m.members.held = append(m.members.held, h)
	return h, nil
}

// Members implements Store.
func (m *Memory) Members(context.Context) (found []Member, _ error) {
	m.members.mu.Lock()
	defer m.members.mu.Unlock()
	for _, h := range m.members.held {
		found = append(found, h.member)
	}
	slices.SortFunc(found, func(a, b Member) int { return cmp.Compare(a.Name, b.Name) })
	return found, nil
}

func (h *memoryHolding) Beat(context.Context) error {
	h.in.mu.Lock()
	defer h.in.mu.Unlock()
	h.member.Beat++
	return nil
}

func (h *memoryHolding) Release() error {
	h.in.mu.Lock()
	defer h.in.mu.Unlock()
	h.in.held = slices.DeleteFunc(h.in.held, func(other *memoryHolding) bool { return other == h })
	return nil
}
