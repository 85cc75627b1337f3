//go:build unix

package life_test

import (
	"context"
	"errors"
	"testing"

	"github.com/oncespec/oncespec/faults/life"
)

// resumed is a life that can only be told to go on.
type resumed struct {
	life.Life
	resume func(context.Context) error
}

func (r resumed) Resume(ctx context.Context) error { return r.resume(ctx) }

// TestAllGoOnTogether: none waits until another is done with it, and one that cannot go on keeps nobody back.
func TestAllGoOnTogether(t *testing.T) {
	t.Parallel()
	var lives []life.Life
	var lines []lifeline
	for range 2 {
		addr := freeAddr(t)
		p := start(t, self("serve", "ADDR="+addr))
		if !p.Can().Has(life.CanPause | life.CanResume) {
			t.Skip("nothing can be frozen here")
		}
		lives, lines = append(lives, p), append(lines, hold(t, addr))
		if err := p.Pause(soon(t)); err != nil {
			t.Fatal(err)
		}
	}
	never := newProcess(t, self("exit"))
	refused := errors.New("refused")
	first, second := make(chan struct{}), make(chan struct{})
	meets := func(mine, other chan struct{}, err error) life.Life {
		return resumed{resume: func(ctx context.Context) error {
			close(mine)
			select {
			case <-other:
			case <-ctx.Done():
				return ctx.Err()
			}
			for _, line := range lines { // the processes go on meanwhile
				line.Write([]byte("?"))
			}
			return err
		}}
	}
	lives = append([]life.Life{meets(first, second, nil), never}, append(lives, meets(second, first, refused))...)
	errs := life.ResumeAll(soon(t), lives)
	for i, want := range []error{nil, life.ErrNotRunning, nil, nil, refused} {
		if !errors.Is(errs[i], want) || want == nil && errs[i] != nil {
			t.Errorf("%d: expected %v, found %v", i, want, errs[i])
		}
	}
	for i, line := range lines {
		line.alive(t)
		if state := state(t, lives[2+i].(*life.Process).PID()); state == "T" {
			t.Errorf("process %d stands still", i)
		}
	}
}
