package mockapi_test

import (
	"context"
	"net/http"
	"path/filepath"
	"testing"

	"github.com/oncespec/oncespec/mockapi"
)

// Asked to stop in the middle of an operation, a process finishes it first.
func TestServeFinishesWhatIsRunning(t *testing.T) {
	t.Parallel()
	provider := newDownstream(t)
	provider.set(func() { provider.hold = make(chan struct{}) })
	ctx, stop := context.WithCancel(t.Context())
	address, ended := make(chan string, 1), make(chan error, 1)
	go func() {
		ended <- mockapi.Serve(ctx, mockapi.ServeOptions{
			Listen: "127.0.0.1:0", DB: filepath.Join(t.TempDir(), "mock.db"), Downstream: provider.URL,
			Ready: func(a string) { address <- a },
		})
	}()
	b := &bench{t: t, at: "http://" + <-address}
	answered := b.later("k1", "t")
	provider.await(t)
	stop()
	for refused := false; !refused; { // until the process takes no more requests
		_, err := b.try(context.Background(), "GET", "/healthz", "")
		refused = err != nil
	}
	provider.set(func() { release(&provider.hold) })
	if got := <-answered; got.status != http.StatusCreated {
		t.Errorf("the running request was answered %d %s", got.status, got.body)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func TestServeSaysWhatToChange(t *testing.T) {
	t.Parallel()
	for name, o := range map[string]mockapi.ServeOptions{
		"profile": {Profile: "ietf-7"},
		"mutant":  {Mutant: "no-such"},
		"file":    {DB: filepath.Join(t.TempDir(), "absent", "mock.db")},
		"address": {Listen: "127.0.0.1:none"},
	} {
		if err := mockapi.Serve(t.Context(), o); err == nil {
			t.Errorf("a wrong %s was accepted", name)
		}
	}
}
