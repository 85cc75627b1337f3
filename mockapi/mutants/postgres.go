package mutants

import (
	"context"

	"github.com/oncespec/oncespec/mockapi/flow"
	"github.com/oncespec/oncespec/mockapi/reference"
	"github.com/oncespec/oncespec/mockapi/store"
)

// unclaimed is a mutant that gets the claim wrong. It fences nothing: those who get the claim wrong do not have that either.
func unclaimed(name, defect, stage string, install func(*flow.Flow, *store.Postgres)) Mutant {
	return Mutant{Name: name, Defect: defect, Stage: stage, Postgres: true, Operation: "create-ticket", Must: []string{"race/one-effect"},
		Install: func(f *flow.Flow) {
			unfenced(f)
			install(f, f.Store.(*store.Postgres))
		}}
}

var postgresMutants = []Mutant{
	unclaimed("unique-index-missing", "It reads, finds nothing and inserts, at READ COMMITTED, and the table has no unique index on the key.",
		"Store", func(f *flow.Flow, p *store.Postgres) {
			f.Store = withoutUniqueIndex(f, p)
		}),
	unclaimed("read-committed-upsert", "It reads the key's row and writes it with an upsert, in one transaction at READ COMMITTED: two that read together both write.",
		"Claim", func(f *flow.Flow, p *store.Postgres) {
			f.Claim = func(ctx context.Context, call *flow.Call) (entry flow.Entry, decision reference.Decision, err error) {
				err = p.UpdateReadCommitted(ctx, func(tx store.Tx) (err error) {
					if entry, decision, err = f.Look(tx, call); err != nil || decision != reference.Execute {
						return err
					}
					return flow.Save(tx, entry)
				})
				return entry, decision, err
			}
		}),
	unclaimed("advisory-lock-released-early", "Its advisory lock on the key ends with the transaction that looks for the key, before the one that writes it.",
		"Claim", func(f *flow.Flow, p *store.Postgres) {
			f.Claim = func(ctx context.Context, call *flow.Call) (entry flow.Entry, decision reference.Decision, err error) {
				err = p.UpdateReadCommitted(ctx, func(tx store.Tx) (err error) {
					if _, err = p.Exec(tx, "SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", call.ID.Scope+" "+call.ID.Key); err != nil {
						return err
					}
					entry, decision, err = f.Look(tx, call)
					return err
				})
				if err != nil || decision != reference.Execute {
					return entry, decision, err
				}
				return entry, decision, p.UpdateReadCommitted(ctx, func(tx store.Tx) error { return flow.Save(tx, entry) })
			}
		}),
	{
		Name:      "effect-on-its-own-connection",
		Defect:    "It commits the effect on another connection than the record: where the database has the record's transaction run again, so is the effect.",
		Stage:     "Complete",
		Postgres:  true,
		Operation: "create-ticket",
		Must:      []string{"race/distinct-keys"},
		May: []May{
			{"race/one-effect", "duplicates may get in the way of the record's transaction"},
			{"crash/sweep", "killed between the two commits it has an effect without a record"},
			{"crash/store-link", "so it has where the link is cut between them"},
			{"downstream/reconciles", "two resources stand against one booking"},
		},
		Install: effectOnItsOwnConnection,
	},
}

// withoutUniqueIndex drops the index from the table, and the conflict that it finds from the statements.
func withoutUniqueIndex(f *flow.Flow, p *store.Postgres) *indexless {
	s := &indexless{p}
	if err := s.Postgres.Update(context.Background(), func(tx store.Tx) error {
		_, err := s.Exec(tx, "DROP INDEX IF EXISTS oncespec_claims_id")
		return err
	}); err != nil {
		f.Log.Error("the unique index stays", "error", err)
	}
	return s
}

type indexless struct{ *store.Postgres }

func (s *indexless) Update(ctx context.Context, change func(store.Tx) error) error {
	return s.UpdateReadCommitted(ctx, func(tx store.Tx) error { return change(indexlessTx{tx, s}) })
}

type indexlessTx struct {
	store.Tx
	store *indexless
}

func (t indexlessTx) InsertClaim(c store.Claim) error {
	_, err := t.store.Exec(t.Tx, "INSERT INTO oncespec_claims (scope, key, tenant, open, data, settled) VALUES ($1, $2, $3, $4, $5, $6)", columns(c)...)
	return err
}

func (t indexlessTx) PutClaim(c store.Claim) error {
	replaced, err := t.store.Exec(t.Tx, "UPDATE oncespec_claims SET tenant = $3, open = $4, data = $5, settled = $6 WHERE scope = $1 AND key = $2", columns(c)...)
	if err != nil || replaced > 0 {
		return err
	}
	return t.InsertClaim(c)
}

func columns(c store.Claim) []any {
	var settled int64
	if !c.Settled.IsZero() {
		settled = c.Settled.UnixMicro()
	}
	return []any{[]byte(c.Scope), []byte(c.Key), []byte(c.Tenant), c.Open, c.Data, settled}
}

// effectOnItsOwnConnection reads the backlog in the record's transaction, so that whatever else happens gets in its way.
func effectOnItsOwnConnection(f *flow.Flow) {
	turns := make(chan struct{}, 3) // each takes two connections, of which there are few
	complete := f.Complete
	f.Complete = func(ctx context.Context, entry flow.Entry, effect flow.Effect) (flow.Answer, error) {
		turns <- struct{}{}
		defer func() { <-turns }()
		return complete(ctx, entry, func(tx store.Tx) (answer flow.Answer, err error) {
			if _, err := tx.OpenClaims(); err != nil {
				return flow.Answer{}, err
			}
			err = f.Store.Update(ctx, func(own store.Tx) (err error) {
				answer, err = effect(own)
				return err
			})
			return answer, err
		})
	}
}
