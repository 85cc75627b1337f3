package target_test

import (
	"errors"
	"net"
	"strings"
	"testing"

	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/target"
)

// TestPortTakenWhileTheTargetIsDead: another program that listens there is not taken for the target; it is the environment's.
func TestPortTakenWhileTheTargetIsDead(t *testing.T) {
	t.Parallel()
	r := living(t)
	s := r.stage("crash/durable")
	if err := s.Kill(t.Context(), nil, history.PhaseUnknown, nil); err != nil {
		t.Fatal(err)
	}
	_, at, _ := strings.Cut(r.URL(), "//")
	other, err := net.Listen("tcp", at)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { other.Close() })
	err = s.Restart(t.Context())
	var environment *target.EnvironmentError
	if !errors.As(err, &environment) {
		t.Fatalf("restart: %v", err)
	}
	for _, words := range []string{"restarting the target", "taken by another program", at, "stop that program"} {
		if !strings.Contains(err.Error(), words) {
			t.Errorf("%q is not in: %v", words, err)
		}
	}
	if f := s.Histories()[0].Faults("restart"); len(f) != 1 || f[0].Landed {
		t.Errorf("restart: %+v", f)
	}
	other.Close()
	if err := r.Revive(t.Context()); err != nil {
		t.Errorf("once the port is free: %v", err)
	}
}
