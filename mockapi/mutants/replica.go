package mutants

import (
	"context"
	"sync"

	"github.com/oncespec/oncespec/mockapi/flow"
	"github.com/oncespec/oncespec/mockapi/reference"
	"github.com/oncespec/oncespec/mockapi/store"
)

// claimsOfOneProcess executes what is claimed by somebody it does not know.
func claimsOfOneProcess(f *flow.Flow) {
	unfenced(f)
	var mu sync.Mutex // held from the look at the record to the note in the table: within the process the claim is sound
	mine := map[store.ID]bool{}
	claim, execute := f.Claim, f.Execute
	f.Claim = func(ctx context.Context, call *flow.Call) (flow.Entry, reference.Decision, error) {
		mu.Lock()
		defer mu.Unlock()
		entry, decision, err := claim(ctx, call)
		if err == nil && decision == reference.Wait && !mine[call.ID] {
			entry.Owner, entry.Version = call.Owner, entry.Version+1
			decision, err = reference.Execute, keep(ctx, f, entry)
		}
		if err == nil && decision == reference.Execute {
			mine[call.ID] = true
		}
		return entry, decision, err
	}
	f.Execute = func(ctx context.Context, call *flow.Call, entry flow.Entry) (flow.Answer, error) {
		defer func() {
			mu.Lock()
			defer mu.Unlock()
			delete(mine, call.ID)
		}()
		return execute(ctx, call, entry)
	}
}
