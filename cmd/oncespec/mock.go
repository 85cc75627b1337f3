package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/oncespec/oncespec/mockapi"
	"github.com/oncespec/oncespec/mockapi/contract"
	"github.com/oncespec/oncespec/mockapi/mutants"
	"github.com/oncespec/oncespec/mockapi/spelling"
	"github.com/oncespec/oncespec/mockapi/store"
	"github.com/oncespec/oncespec/reports"
)

// MockCmd serves the reference mock.
type MockCmd struct {
	Listen      string        `default:"127.0.0.1:8080" placeholder:"HOST:PORT" help:"Address."`
	DB          string        `placeholder:"FILE|URL" help:"SQLite file, or PostgreSQL as postgres://ROLE@HOST/DATABASE (?search_path=SCHEMA for a schema of its own); without it everything is kept in memory."`
	Downstream  string        `placeholder:"URL" help:"Provider that tickets and payments are booked at; without it nothing is booked."`
	Profile     string        `default:"ietf-07" placeholder:"NAME" help:"Contract to keep (see: oncespec list profiles)."`
	Lifetime    time.Duration `placeholder:"DURATION" help:"How long a completed operation replays, instead of what the contract says."`
	Expired     string        `placeholder:"execute|refuse" help:"What a key gets that is used again after its lifetime, instead of what the contract says."`
	Lease       time.Duration `default:"2s" placeholder:"DURATION" help:"How long a mock that was stopped keeps its operations from the others on one database; one that died loses them at once."`
	Clock       bool          `help:"Serve /clock: POST {\"advance\": \"90s\"} moves the time of the keys' lifetimes, for all mocks on one database."`
	Grace       time.Duration `default:"5s" placeholder:"DURATION" help:"At SIGTERM, how long to wait for what is running; the rest is settled at the next start."`
	Mutant      string        `placeholder:"NAME" help:"Serve a variant with one defect."`
	ListMutants bool          `help:"List the variants and exit."`
	JSON        bool          `help:"With --list-mutants: as JSON."`
}

// Help is shown under --help.
func (MockCmd) Help() string {
	return "Tokens: acme-token, acme-token-2 (the same caller, renewed), globex-token.\n\nExamples:\n  oncespec mock --db mock.db\n  PGPASSWORD=secret oncespec mock --db postgres://mock@127.0.0.1/tickets\n  oncespec mock --lifetime 24h --clock\n  oncespec mock --list-mutants --json\n  oncespec mock --mutant fingerprint-float64 --listen 127.0.0.1:9000"
}

// shortestLease is the shortest lease that a server on a busy machine can keep renewing.
const shortestLease = 100 * time.Millisecond

// Run is called by kong.
func (c *MockCmd) Run(ctx context.Context, io streams) error {
	if c.ListMutants {
		return c.list(io)
	}
	if profiles := contract.Profiles(); !slices.Contains(profiles, c.Profile) {
		return fmt.Errorf("--profile %q is unknown%s; the profiles are %s", c.Profile, spelling.Suggestion(c.Profile, profiles), strings.Join(profiles, ", "))
	}
	if c.Mutant != "" {
		if _, err := mutants.Find(c.Mutant); err != nil {
			return err
		}
	}
	if c.Lease < shortestLease {
		return fmt.Errorf("--lease %s: expected %s or more", c.Lease, shortestLease)
	}
	err := mockapi.Serve(tidily(ctx), mockapi.ServeOptions{Listen: c.Listen, DB: c.DB, Downstream: c.Downstream, Profile: c.Profile, Mutant: c.Mutant,
		Lifetime: c.Lifetime, Expired: c.Expired, Lease: c.Lease, Clock: c.Clock, Grace: c.Grace,
		Logger: slog.New(slog.NewTextHandler(io.err, nil)),
		Ready:  func(address string) { fmt.Fprintf(io.err, "mock API at http://%s, Ctrl-C ends it\n", address) }})
	switch {
	case errors.As(err, new(*contract.Problem)):
		return fmt.Errorf("--lifetime, --expired: %w", err)
	case errors.Is(err, store.ErrLocation):
		return fmt.Errorf("--db: %w", err)
	case err != nil:
		return &exitError{reports.Environment.ExitCode(), err}
	}
	return nil
}

func (c *MockCmd) list(io streams) error {
	if c.JSON {
		return printJSON(io.out, mutants.List())
	}
	return (&ListCmd{What: "mutants"}).Run(io)
}
