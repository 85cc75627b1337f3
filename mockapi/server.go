package mockapi

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/oncespec/oncespec/mockapi/command"
	"github.com/oncespec/oncespec/mockapi/contract"
	"github.com/oncespec/oncespec/mockapi/flow"
	"github.com/oncespec/oncespec/mockapi/mutants"
	"github.com/oncespec/oncespec/mockapi/payments"
	"github.com/oncespec/oncespec/mockapi/store"
	"github.com/oncespec/oncespec/mockapi/tickets"
)

// Timeouts of calls downstream, where Options leave them open.
const (
	DefaultBookTimeout   = 30 * time.Second
	DefaultLookupTimeout = 2 * time.Second
)

// Options say what a Server is made of. The zero value is a correct server in memory under contract.DefaultProfile.
type Options struct {
	// Contract is what the server promises; one without a header name is contract.DefaultProfile.
	Contract contract.Contract
	// Store keeps everything; nil is a store in memory. Whoever opened it closes it, after the server.
	Store store.Store
	// Downstream is the URL of the provider that books tickets and payments; "" books nothing anywhere.
	Downstream string
	// BookTimeout and LookupTimeout bound one call downstream; 0 is the default.
	BookTimeout   time.Duration
	LookupTimeout time.Duration
	// Lease is how long a server that stopped, but did not die, keeps what it is at work on from the other servers on the store;
	// 0 is flow.DefaultLease.
	Lease time.Duration
	// Clock serves /clock, which tells the time that records carry and moves it forward for all servers on the store.
	Clock bool
	// Mutant is the name of the defect to put in, as mutants.List has them; "" is none.
	Mutant string
	// Logger gets what the server cannot tell its clients; nil discards it.
	Logger *slog.Logger
}

// tokens are the bearer tokens that the server knows, with the tenant that each stands for. A tenant's second token is one
// that was renewed.
func tokens() map[string]string {
	return map[string]string{"acme-token": "acme", "acme-token-2": "acme", "globex-token": "globex"}
}

// Server is the API. It is an http.Handler, safe for concurrent use.
type Server struct {
	flow   *flow.Flow
	router http.Handler
}

// New assembles a server. Call Recover before serving, and Close at the end.
func New(options Options) (*Server, error) {
	if options.Contract.Name == "" {
		profile, err := contract.Profile(contract.DefaultProfile)
		if err != nil {
			return nil, fmt.Errorf("mock API: %w", err)
		}
		options.Contract = profile
	}
	if options.Store == nil {
		options.Store = &store.Memory{}
	}
	if options.Logger == nil {
		options.Logger = slog.New(slog.DiscardHandler)
	}
	settings := flow.Settings{
		Contract:   options.Contract,
		Store:      options.Store,
		Operations: append(tickets.Operations(), payments.Operations()...),
		Tokens:     tokens(),
		Lease:      options.Lease,
		Clock:      options.Clock,
		Log:        options.Logger,
	}
	if options.Downstream != "" {
		provider, err := flow.NewProvider(options.Downstream, orDefault(options.BookTimeout, DefaultBookTimeout), orDefault(options.LookupTimeout, DefaultLookupTimeout))
		if err != nil {
			return nil, fmt.Errorf("mock API: %w", err)
		}
		settings.Provider = provider
	}
	f := flow.New(settings)
	if options.Mutant != "" {
		mutant, err := mutants.Find(options.Mutant)
		if err != nil {
			return nil, fmt.Errorf("mock API: %w", err)
		}
		if _, postgres := options.Store.(*store.Postgres); mutant.Postgres && !postgres {
			return nil, fmt.Errorf("mock API: mutant %s has its defect on PostgreSQL only: give it a store at postgres://…", mutant.Name)
		}
		mutant.Install(f)
	}
	return &Server{flow: f, router: routes(f, append(tickets.Reads(), payments.Reads()...))}, nil
}

func orDefault(d, otherwise time.Duration) time.Duration {
	if d == 0 {
		return otherwise
	}
	return d
}

// Recover settles what servers that are gone left unfinished in the store, by asking downstream. It takes a few seconds at most;
// what cannot be resolved by then reads as unknown and is tried again in the background, and so is what other servers leave later.
// What a server at work on the store has claimed is its own until it died, or gave no sign of life for its lease.
func (s *Server) Recover(ctx context.Context) error { return s.flow.Recover(ctx) }

// Stop tells what is running to come to an end, as far as it waits for nothing that matters. Call it when the server is asked to
// stop, then shut the HTTP server down, then Close.
func (s *Server) Stop() { s.flow.Stop() }

// Close abandons what is still running, like the end of the process would, and waits until nothing uses the store any more.
// Shut the HTTP server down first to let requests finish.
func (s *Server) Close() error {
	s.flow.Close()
	return nil
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.router.ServeHTTP(w, r) }

// refusal answers what never reaches a domain.
func refusal(status int, code, title string) flow.Answer {
	return flow.Problem(&command.Refusal{Status: status, Code: code, Title: title})
}
