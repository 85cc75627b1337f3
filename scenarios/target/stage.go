package target

import (
	"math/rand/v2"

	"github.com/oncespec/oncespec/mockapi/contract"
	"github.com/oncespec/oncespec/scenarios/catalogue"
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/target/config"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

// Stage is where a procedure acts: one operation of the target, and the history of one trial. All methods may be used from
// several goroutines.
type Stage struct{}

// Contract is what the target promises.
func (s *Stage) Contract() contract.Contract { return contract.Contract{} }

// Operation is the subject.
func (s *Stage) Operation() *config.Operation { return nil }

// Config is the configuration of the run.
func (s *Stage) Config() *config.Config { return nil }

// Has tells whether the operation offers a need, from configuration and steady state.
func (s *Stage) Has(n catalogue.Need) bool { return false }

// Rand is seeded by (seed, scenario, operation, trial). It is not for keys and markers, which are fresh in each run.
func (s *Stage) Rand() *rand.Rand { return nil }

// Second is another operation whose key travels in a header, or nil.
func (s *Stage) Second() *config.Operation { return nil }

// Tenants names the principals, the default first.
func (s *Stage) Tenants() []string { return nil }

// Trial opens another history of the same scenario; the receiver's own history is dropped if it has no events.
func (s *Stage) Trial(name string) *Stage { return s }

// Note adds a remark to the history.
func (s *Stage) Note(format string, args ...any) {}

// Histories returns what the trials left, in order, without those that have no events.
func (s *Stage) Histories() []*history.History { return nil }

// Abort marks the current trial: the procedure could not go on, and nothing may be concluded from what is missing.
func (s *Stage) Abort(err error, blame verdict.Blame) {}
