package flow

import (
	"sync"

	"github.com/oncespec/oncespec/mockapi/store"
)

// bell wakes those who wait for a record to be settled. The zero value is ready for use.
type bell struct {
	mu        sync.Mutex
	listeners map[store.ID]chan struct{}
}

// listen returns a channel that is closed at the next ring for id.
func (b *bell) listen(id store.ID) <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.listeners == nil {
		b.listeners = map[store.ID]chan struct{}{}
	}
	if b.listeners[id] == nil {
		b.listeners[id] = make(chan struct{})
	}
	return b.listeners[id]
}

func (b *bell) ring(id store.ID) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if listener, ok := b.listeners[id]; ok {
		close(listener)
		delete(b.listeners, id)
	}
}
