package target

import "context"

// Look names the phase of the intent from what can be seen now: local effects, ledger, status, and a duplicate's answer
// (bounded wait, since a duplicate may block; not sent when duplicate is false). It records nothing by itself.
func (s *Stage) Look(ctx context.Context, in *Intent, duplicate bool) (phase string, evidence []string) {
	return "", nil
}

// Kill kills the target and records a history.Fault with the phase given by Look or the procedure.
func (s *Stage) Kill(ctx context.Context, in *Intent, phase string, evidence []string) error {
	return nil
}

// Restart starts it again and waits until it is ready.
func (s *Stage) Restart(ctx context.Context) error { return nil }
