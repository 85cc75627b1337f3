package mockapi_test

import (
	"context"
	"sync"
	"testing"

	"github.com/oncespec/oncespec/mockapi"
	"github.com/oncespec/oncespec/mockapi/store"
)

// tardy is a store whose link breaks while the next claim is committed: the store goes on with it later.
type tardy struct {
	store.Store
	looked chan struct{} // whoever looks for what nobody is at work on says so, where somebody listens

	mu    sync.Mutex
	armed bool
	late  func(store.Tx) error
}

func (s *tardy) Update(ctx context.Context, change func(store.Tx) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.armed {
		return s.Store.Update(ctx, change)
	}
	s.armed, s.late = false, change
	return store.ErrUnavailable
}

func (s *tardy) View(ctx context.Context, read func(store.Reader) error) error {
	return s.Store.View(ctx, func(r store.Reader) error { return read(openSeen{r, s.looked}) })
}

type openSeen struct {
	store.Reader
	looked chan struct{}
}

func (o openSeen) OpenClaims() ([]store.Claim, error) {
	found, err := o.Reader.OpenClaims()
	select {
	case o.looked <- struct{}{}:
	default:
	}
	return found, err
}

// A claim whose commit was cut off may be made after its server has looked whether it was: it looks again.
func TestClaimThatIsCommittedLate(t *testing.T) {
	t.Parallel()
	onEveryStore(t, func(b *bench) {
		broken := &tardy{looked: make(chan struct{}, 1)}
		server := b.beside(func(o *mockapi.Options) { broken.Store, o.Store = o.Store, broken })
		select {
		case <-broken.looked: // at the start
		default:
		}
		broken.mu.Lock()
		broken.armed = true
		broken.mu.Unlock()
		b.expect("first", server.create("k1", "t"), 503, "store_unavailable")
		<-broken.looked
		if err := broken.Store.Update(b.t.Context(), broken.late); err != nil {
			b.t.Fatal(err)
		}
		b.eventually("a duplicate gets the result", func() bool { return server.create("k1", "t").status == 201 })
		b.expectOnce("t")
	})
}
