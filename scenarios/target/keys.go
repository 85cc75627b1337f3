package target

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"github.com/oncespec/oncespec/scenarios/target/wire"
)

// keyring knows how often each key was sent. A key that was never sent before cannot be in flight or belong to another
// request, whatever a status code suggests.
type keyring struct {
	mu   sync.Mutex
	keys map[string]*keyUse
}

// keyUse is what was sent under one key, by whomever and for whatever: scopes differ between targets.
type keyUse struct {
	attempts int
	open     int          // of them, not over
	refusal  *wire.Answer // of the attempt that was alone, where it was no success
}

// sends notes that an attempt under the key begins.
func (k *keyring) sends(key string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.keys == nil {
		k.keys = map[string]*keyUse{}
	}
	if k.keys[key] == nil {
		k.keys[key] = &keyUse{}
	}
	k.keys[key].attempts++
	k.keys[key].open++
}

// idle notes that an attempt is over, and tells whether nothing else can have been under way under its key: either it is the
// key's only attempt so far, or no other is open and it got the same refusal as the first attempt got when it was alone.
func (k *keyring) idle(key string, answer *wire.Answer) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	use := k.keys[key]
	if use == nil {
		return false
	}
	use.open--
	switch {
	case use.attempts == 1:
		if answer != nil && answer.Status >= 300 {
			use.refusal = answer
		}
		return true
	case use.open > 0 || answer == nil || use.refusal == nil:
		return false
	}
	return sameRefusal(use.refusal, answer)
}

// forget lets a key go that will not be sent any more.
func (k *keyring) forget(key string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.keys, key)
}

// telling are the members of a refusal that give its reason; others, such as a time, may differ from answer to answer.
var telling = []string{"type", "code", "error", "title", "status", "message", "detail"}

// sameRefusal tells whether two answers refuse for the same reason. One that names a time to come back is another one than one
// that does not.
func sameRefusal(a, b *wire.Answer) bool {
	if a.Status != b.Status || (a.Header.Get("Retry-After") == "") != (b.Header.Get("Retry-After") == "") {
		return false
	}
	if bytes.Equal(a.Body, b.Body) {
		return true
	}
	var was, is map[string]json.RawMessage
	if json.Unmarshal(a.Body, &was) != nil || json.Unmarshal(b.Body, &is) != nil {
		return false
	}
	said := false
	for name, value := range was {
		if slices.Contains(telling, strings.ToLower(name)) {
			said = true
			if !bytes.Equal(compact(value), compact(is[name])) {
				return false
			}
		}
	}
	return said && len(was) == len(is)
}
