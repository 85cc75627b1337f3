package mockapi

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
	"time"

	"github.com/oncespec/oncespec/mockapi/contract"
	"github.com/oncespec/oncespec/mockapi/store"
)

// ServeOptions say where a mock listens and what it is made of.
type ServeOptions struct {
	Listen     string        // host:port; port 0 picks a free one
	DB         string        // location of the store, as store.Open reads it: a SQLite file, a postgres:// URL, empty for memory
	Downstream string        // base URL of the provider; empty: nothing is booked
	Profile    string        // contract; empty: contract.DefaultProfile
	Mutant     string        // defect to serve; empty: none
	Lifetime   time.Duration // instead of the contract's; 0: the contract's
	Expired    string        // what a key gets after its lifetime, instead of the contract's: execute or refuse; empty: the contract's
	Lease      time.Duration // see Options
	Clock      bool          // see Options

	BookTimeout, LookupTimeout time.Duration // see Options

	Grace  time.Duration // for what is running when the context ends; 0: DefaultGrace
	Logger *slog.Logger
	Ready  func(address string) // called once requests are taken; may be nil
}

// DefaultGrace is how long Serve lets what is running finish.
const DefaultGrace = 5 * time.Second

// Serve runs a mock as a process does, until the context ends: it settles what an earlier one left in the same store, then
// takes requests. In the end it takes no more, and lets those that are running finish. What takes longer than the grace is
// left as the end of the process would leave it, for another server or the next start to settle. Its errors name what to
// change: the address, the store, the profile or the mutant.
func Serve(ctx context.Context, o ServeOptions) (err error) {
	if o.Profile == "" {
		o.Profile = contract.DefaultProfile
	}
	promised, err := contract.Profile(o.Profile)
	if err != nil {
		return err
	}
	if promised, err = o.lasting(promised); err != nil {
		return err
	}
	options := Options{Contract: promised, Downstream: o.Downstream, Mutant: o.Mutant, Lease: o.Lease, Clock: o.Clock,
		BookTimeout: o.BookTimeout, LookupTimeout: o.LookupTimeout, Logger: o.Logger}
	if options.Store, err = store.Open(ctx, o.DB); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, options.Store.Close()) }()
	server, err := New(options)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, server.Close()) }()
	listener, err := net.Listen("tcp", o.Listen)
	if err != nil {
		return fmt.Errorf("mock API cannot listen: %w", err)
	}
	if err := server.Recover(ctx); err != nil {
		listener.Close()
		return fmt.Errorf("mock API cannot settle what an earlier process left: %w", err)
	}
	web := &http.Server{Handler: server, ReadHeaderTimeout: 30 * time.Second, Protocols: Protocols()}
	if o.Ready != nil {
		o.Ready(listener.Addr().String())
	}
	drained := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(drained)
		server.Stop()
		grace, cancel := context.WithTimeout(context.Background(), orDefault(o.Grace, DefaultGrace))
		defer cancel()
		if web.Shutdown(grace) != nil {
			web.Close()
		}
	})
	defer stop()
	if err := web.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	<-drained // what is running is finished first
	return nil
}

// Protocols are the versions of HTTP that the mock speaks: both, without TLS.
func Protocols() *http.Protocols {
	p := new(http.Protocols)
	p.SetHTTP1(true)
	p.SetUnencryptedHTTP2(true)
	return p
}

// lasting puts the lifetime that was asked for into a contract.
func (o ServeOptions) lasting(c contract.Contract) (contract.Contract, error) {
	if o.Lifetime != 0 {
		c.Lifetime = o.Lifetime
	}
	if o.Expired != "" && o.Expired != c.Expired.Action {
		c.Expired = contract.Response{Action: o.Expired}
	}
	return c, c.Validate()
}

// Main is Serve for a program that is nothing else, such as a test binary that starts itself again as the mock. It takes the
// flags of `oncespec mock` and returns an exit code.
func Main(args []string, stderr io.Writer) int {
	debug.SetGCPercent(100) // whoever starts it may have put off the collection of garbage until it serves
	var o ServeOptions
	flags := flag.NewFlagSet("mock", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&o.Listen, "listen", "127.0.0.1:0", "address")
	flags.StringVar(&o.DB, "db", "", "SQLite file or postgres:// URL")
	flags.StringVar(&o.Downstream, "downstream", "", "URL of the provider")
	flags.StringVar(&o.Profile, "profile", "", "contract")
	flags.DurationVar(&o.Lifetime, "lifetime", 0, "lifetime of keys")
	flags.StringVar(&o.Expired, "expired", "", "what a key gets after its lifetime")
	flags.DurationVar(&o.Lease, "lease", 0, "lease of a stopped server")
	flags.BoolVar(&o.Clock, "clock", false, "serve /clock")
	flags.DurationVar(&o.Grace, "grace", 0, "for what is running at the end")
	flags.StringVar(&o.Mutant, "mutant", "", "defect")
	if flags.Parse(args) != nil {
		return 4
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := Serve(ctx, o); err != nil {
		fmt.Fprintln(stderr, err)
		return 3
	}
	return 0
}
