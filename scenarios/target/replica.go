package target

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/oncespec/oncespec/faults/life"
	"github.com/oncespec/oncespec/scenarios/history"
)

// Replicas sees that every instance of the target serves, and tells how many there are: the one at target.url and those at
// target.replicas. Instances that the run starts itself stay until the scenario is over; Send.Replica picks one. The error is
// an *EnvironmentError.
func (s *Stage) Replicas(ctx context.Context) (int, error) {
	t := s.target
	for _, i := range t.instances {
		if !i.onDemand() || i.stands() == serving {
			continue
		}
		if err := t.bring(ctx, i); err != nil {
			return len(t.instances), err
		}
	}
	return len(t.instances), nil
}

// Instance is the running server of the target with the number: 0 is at target.url, the others are at target.replicas. One that
// is not there fails whatever it is told to do.
func (s *Stage) Instance(index int) *Instance {
	i, err := s.target.instance(index)
	if err == nil && i.life == nil {
		err = errors.New("the configuration has no lifecycle")
	}
	return &Instance{stage: s, it: i, missing: err}
}

// Instance is one server of the target, for what can be done to it. All that is done is recorded as a history.Fault; an intent
// and a phase, as seen by Look, may be named with it.
type Instance struct {
	stage   *Stage
	it      *instance
	missing error
}

// Kill ends it at once (SIGKILL, where the run started it).
func (n *Instance) Kill(ctx context.Context, in *Intent, phase string, evidence []string) error {
	return n.end(&history.Fault{Kind: history.FaultKill, Phase: phase, Evidence: evidence}, in, "killing", func() (life.Exit, error) {
		return n.it.life.Kill(ctx)
	})
}

// Stop asks it to end (SIGTERM, where the run started it) and kills it after the grace; the fault says whether that was needed,
// where it can be known.
func (n *Instance) Stop(ctx context.Context, in *Intent, grace time.Duration, phase string, evidence []string) error {
	return n.end(&history.Fault{Kind: history.FaultStop, Phase: phase, Evidence: evidence}, in, "stopping", func() (life.Exit, error) {
		return n.it.life.Stop(ctx, grace)
	})
}

func (n *Instance) end(fault *history.Fault, in *Intent, doing string, by func() (life.Exit, error)) error {
	if n.missing != nil {
		return fmt.Errorf("%s: %w", fault.Kind, n.missing)
	}
	fault.Given = n.stage.target.clock.now()
	exit, err := by()
	switch {
	case errors.Is(err, life.ErrNotRunning):
		fault.Detail = n.stage.target.name(n.it) + " was not running: " + exit.String()
	case err == nil:
		fault.Detail = exit.String()
		fault.Forced = fault.Kind == history.FaultStop && exit.Signal == "SIGKILL"
		n.it.becomes(down)
	}
	return n.record(fault, in, doing, err)
}

// Pause freezes it where it stands (SIGSTOP to all of its processes, where the run started it), and returns once it does.
func (n *Instance) Pause(ctx context.Context, in *Intent, phase string, evidence []string) error {
	fault := &history.Fault{Kind: history.FaultPause, Phase: phase, Evidence: evidence}
	if n.missing != nil {
		return fmt.Errorf("pause: %w", n.missing)
	}
	n.it.becomes(still) // also where it is not known: it is told to go on in the end
	err := n.it.life.Pause(ctx)
	if err == nil {
		n.it.becomes(frozen)
	}
	return n.record(fault, in, "pausing", err)
}

// Resume lets it go on; the fault says from when on that may have been.
func (n *Instance) Resume(ctx context.Context) error {
	if n.missing != nil {
		return fmt.Errorf("resume: %w", n.missing)
	}
	fault := &history.Fault{Kind: history.FaultResume, Given: n.stage.target.clock.now()} // it may answer before it is known to go on
	err := n.it.life.Resume(ctx)
	if err == nil {
		n.it.becomes(serving)
	}
	return n.record(fault, nil, "resuming", err)
}

// Restart kills it, where it runs, starts it again and waits until it is ready.
func (n *Instance) Restart(ctx context.Context) error {
	if n.missing != nil {
		return fmt.Errorf("restart: %w", n.missing)
	}
	err := n.it.life.Restart(ctx)
	if err == nil {
		n.it.becomes(serving)
	}
	failed := n.record(&history.Fault{Kind: history.FaultRestart}, nil, "restarting", err)
	if err != nil {
		if lost := n.stage.target.throughLost(ctx, n.it); lost != nil {
			return lost
		}
	}
	return failed
}

// Ready looks once whether it may be used.
func (n *Instance) Ready(ctx context.Context) error {
	if n.it == nil {
		return n.missing
	}
	return n.stage.target.ready(n.it, n.stage.target.cfg.Target.Lifecycle.Readiness())(ctx)
}

// record notes what was done, and tells whom to blame where it could not be.
func (n *Instance) record(fault *history.Fault, in *Intent, doing string, err error) error {
	t := n.stage.target
	fault.Instance, fault.Landed, fault.Evidence = n.it.index, err == nil, t.redact.words(fault.Evidence)
	if in != nil {
		fault.Intent = in.ID
	}
	if err != nil && fault.Detail == "" {
		fault.Detail = t.redact.text(err.Error())
	}
	n.stage.rec.add(history.Event{Fault: fault})
	if err != nil {
		return &EnvironmentError{What: doing + " " + t.name(n.it), Err: redactedError{t.redact.text(err.Error()), err}}
	}
	return nil
}
