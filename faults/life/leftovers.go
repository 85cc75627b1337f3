package life

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"time"

	"github.com/moby/moby/client"

	"github.com/oncespec/oncespec/faults/journal"
)

// What a program may leave behind, as its journal calls it.
const (
	leftProcess   = "process"
	leftContainer = "container"
	leftHooks     = "target of hooks"
)

const (
	// dockerSweepLimit bounds the search for containers: another run waits for it.
	dockerSweepLimit = closeLimit
	// leftHookLimit bounds a hook of a run that is gone.
	leftHookLimit = 20 * time.Second
)

// Enders end what programs left behind that were killed before they could do it themselves.
func Enders() map[string]journal.Ender {
	return map[string]journal.Ender{leftProcess: endProcess, leftContainer: endContainer, leftHooks: endHooks}
}

// endProcess ends all that carries the cookie of a process.
func endProcess(_ context.Context, t journal.Thing) error {
	if t.Name == "" {
		return errors.New("it has no name")
	}
	return killCarriers(cookie{value: t.Name})
}

// endContainer removes a container and what belongs to it. Where it was not made yet Docker may be at it still: what comes of
// it is waited for.
func endContainer(ctx context.Context, t journal.Thing) error {
	ctx, cancel := context.WithTimeout(ctx, dockerSweepLimit)
	defer cancel()
	d, err := openDocker(ctx)
	if err != nil {
		return err
	}
	defer d.close()
	label := labelName + "=" + t.Name
	made, err := d.api.ContainerList(ctx, client.ContainerListOptions{All: true, Filters: make(client.Filters).Add("label", label)})
	if err != nil {
		return err
	}
	looks := 1
	if len(made.Items) == 0 {
		looks = looksForGood
	}
	return d.removeAll(ctx, label, looks)
}

// leftTarget is a target of hooks that was not left as it was found, with what to do about it.
type leftTarget struct {
	Resume, Stop, Kill, Dir string
	Env                     []string
	Paused, Started         bool
}

// thing is how the journal keeps it.
func (l leftTarget) thing() journal.Thing {
	if dir, err := filepath.Abs(l.Dir); err == nil {
		l.Dir = dir
	}
	data, _ := json.Marshal(l)
	return journal.Thing{Kind: leftHooks, Name: cmp.Or(l.Stop, l.Kill, l.Resume), More: map[string]string{"how": string(data)}}
}

// endHooks lets a target go on that a dead program paused, and ends one that it started.
func endHooks(_ context.Context, t journal.Thing) error {
	var l leftTarget
	if err := json.Unmarshal([]byte(t.More["how"]), &l); err != nil {
		return err
	}
	h := NewHooks(HookCommands{Resume: l.Resume, Stop: l.Stop, Kill: l.Kill, Dir: l.Dir, Env: l.Env, Limit: leftHookLimit})
	h.ours = l.Started
	if l.Paused {
		h.state = still
	}
	return h.Close()
}
