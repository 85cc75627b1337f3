package store

import "bytes"

func (t memoryTx) Outgoing(key string) (Outgoing, error) {
	message, ok := t.memory.outbox[key]
	if !ok {
		return Outgoing{}, ErrNotFound
	}
	message.Body = bytes.Clone(message.Body)
	return message, nil
}

func (t memoryTx) PutOutgoing(message Outgoing) error {
	remember(t, t.memory.outbox, message.Key)
	message.Body = bytes.Clone(message.Body)
	t.memory.outbox[message.Key] = message
	return nil
}

func (t memoryTx) DeleteOutgoing(key string) error {
	remember(t, t.memory.outbox, key)
	delete(t.memory.outbox, key)
	return nil
}

// remember notes how to bring back what a map holds under a key.
func remember[K comparable, V any](t memoryTx, in map[K]V, key K) {
	before, existed := in[key]
	*t.undo = append(*t.undo, func() {
		if existed {
			in[key] = before
		} else {
			delete(in, key)
		}
	})
}
