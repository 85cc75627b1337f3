package suites_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/target"
	"github.com/oncespec/oncespec/scenarios/target/config"
	"github.com/oncespec/oncespec/suites"
)

// BenchmarkKillRestartRetry is one cycle of the crash pack on the correct mock: a write, a kill once it has begun to answer, the
// restart until it is ready, the retry that gets the result, and a look at its effect.
func BenchmarkKillRestartRetry(b *testing.B) {
	b.Run("process", func(b *testing.B) {
		cycles(b, mock(b, ""))
	})
	b.Run("container", func(b *testing.B) {
		if _, err := os.Stat("/var/run/docker.sock"); err != nil && os.Getenv("DOCKER_HOST") == "" {
			b.Skip("there is no Docker here")
		}
		program := filepath.Join(b.TempDir(), "oncespec")
		build := exec.Command("go", "build", "-o", program, "../cmd/oncespec")
		build.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := build.CombinedOutput(); err != nil {
			b.Fatalf("%v\n%s", err, out)
		}
		cfg, err := suites.MockInContainer(program, "")
		if err != nil {
			b.Fatal(err)
		}
		cycles(b, cfg)
	})
}

func cycles(b *testing.B, cfg *config.Config) {
	b.Helper()
	ctx := b.Context()
	tg, err := target.Start(ctx, target.Options{Config: cfg, Seed: 1, Dir: b.TempDir()})
	if err != nil {
		b.Fatal(err)
	}
	defer func() {
		if err := tg.Close(context.WithoutCancel(ctx)); err != nil {
			b.Error(err)
		}
	}()
	s := tg.Stage(target.Scenario{ID: "crash/after-record"}, cfg.Operations["create-ticket"], target.StageOptions{Try: 1})
	var took []time.Duration
	for b.Loop() {
		began := time.Now()
		cycle(b, s)
		took = append(took, time.Since(began))
	}
	slices.Sort(took)
	at := func(share float64) float64 {
		return float64(took[int(share*float64(len(took)-1))].Microseconds()) / 1000
	}
	b.ReportMetric(60*float64(len(took))/b.Elapsed().Seconds(), "cycles/min")
	b.ReportMetric(at(0), "min-ms")
	b.ReportMetric(at(0.5), "median-ms")
	b.ReportMetric(at(0.95), "p95-ms")
}

func cycle(b *testing.B, s *target.Stage) {
	b.Helper()
	ctx := b.Context()
	in, err := s.Intent(ctx)
	if err != nil {
		b.Fatal(err)
	}
	first := s.Go(ctx, in, target.Send{})
	first.Answering(ctx)
	if err := s.Kill(ctx, in, history.AfterRecord, nil); err != nil {
		b.Fatal(err)
	}
	first.Wait(ctx)
	if err := s.Restart(ctx); err != nil {
		b.Fatal(err)
	}
	if a := s.Resolve(ctx, in, target.Send{}); !s.Class(a).Success() {
		b.Fatalf("the retry was not answered with the result: %+v", a.Answer)
	}
	for _, o := range s.Observe(ctx, in, "after") {
		if o.Error != "" || o.Count != 1 {
			b.Fatalf("%s shows %d effects (%s)", o.Probe, o.Count, o.Error)
		}
	}
}
