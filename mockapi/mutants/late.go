package mutants

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/oncespec/oncespec/mockapi/flow"
	"github.com/oncespec/oncespec/mockapi/store"
)

// late makes effects when they are due and their records only when the client has left, or after so long. Early is what is
// done with a retry that comes in between; ok is false where it is treated like any other.
func late(f *flow.Flow, atMost time.Duration, early func(context.Context, *flow.Call) (answer flow.Answer, ok bool, err error)) {
	type promise struct {
		entry  flow.Entry
		answer flow.Answer
	}
	type owing struct{} // names the call in a context
	var owed sync.Map   // promises by call
	var unrecorded sync.Map
	execute, complete, deliver, wait, resolve := f.Execute, f.Complete, f.Deliver, f.Wait, f.Resolve
	f.Execute = func(ctx context.Context, call *flow.Call, entry flow.Entry) (flow.Answer, error) {
		return execute(context.WithValue(ctx, owing{}, call), call, entry)
	}
	f.Complete = func(ctx context.Context, entry flow.Entry, effect flow.Effect) (answer flow.Answer, err error) {
		call, _ := ctx.Value(owing{}).(*flow.Call)
		if call == nil { // recovery
			return complete(ctx, entry, effect)
		}
		err = f.Store.Update(ctx, func(tx store.Tx) (err error) {
			answer, err = effect(tx)
			return err
		})
		if err == nil {
			owed.Store(call, promise{entry, answer})
			unrecorded.Store(call.ID, true)
		}
		return answer, err
	}
	f.Deliver = func(ctx context.Context, w http.ResponseWriter, call *flow.Call, answer flow.Answer) {
		deliver(ctx, w, call, answer)
		p, found := owed.LoadAndDelete(call)
		if !found {
			return
		}
		_ = http.NewResponseController(w).Flush() // what cannot be flushed has no client any more
		select {
		case <-call.HTTP.Context().Done():
		case <-time.After(atMost):
		case <-ctx.Done():
			return
		}
		record := func(store.Tx) (flow.Answer, error) { return p.(promise).answer, nil }
		if _, err := complete(ctx, p.(promise).entry, record); err != nil {
			f.Log.Warn("late record", "error", err)
		}
		unrecorded.Delete(call.ID)
	}
	f.Wait = func(ctx context.Context, call *flow.Call, entry flow.Entry) (flow.Answer, bool, error) {
		if _, answered := unrecorded.Load(call.ID); answered {
			if answer, ok, err := early(ctx, call); ok || err != nil {
				return answer, false, err
			}
			return flow.Answer{}, true, nil
		}
		return wait(ctx, call, entry)
	}
	f.Resolve = func(ctx context.Context, entry flow.Entry) (bool, error) {
		if _, answered := unrecorded.Load(entry.ID()); answered {
			return true, nil // nobody has to find out about it
		}
		return resolve(ctx, entry)
	}
}
