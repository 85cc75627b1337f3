package store_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/oncespec/oncespec/mockapi/store"
)

// BenchmarkClaim compares claims (look, find nothing, insert, in one transaction) with bare insertions of the same row in the
// same kind of database, by 1 to 64 clients. The two take short turns, so that the machine is in the same mood for both; the
// median of the turns' ratios, claim/bare, is what to look at.
//
//	go test ./mockapi/store -run '^$' -bench Claim -benchtime 2000x
func BenchmarkClaim(b *testing.B) {
	const turns = 25
	for _, kind := range kinds {
		for _, clients := range []int{1, 4, 16, 64} {
			b.Run(fmt.Sprintf("%s/clients=%d", kind.name, clients), func(b *testing.B) {
				at := kind.fresh(b)
				s := open(b, at)
				defer s.Close()
				bare := bareInsert(b, kind.name, at)
				var claims, inserts time.Duration
				var ratios []float64
				each := b.N/turns + 1
				for turn := range turns {
					plain := timed(b, clients, each, func(i int64) error { return bare(b.Context(), row(turn, i)) })
					claim := timed(b, clients, each, func(i int64) error { return take(b.Context(), s, row(turn, i)) })
					inserts, claims = inserts+plain, claims+claim
					ratios = append(ratios, plain.Seconds()/claim.Seconds())
				}
				slices.Sort(ratios)
				b.ReportMetric(0, "ns/op") // the sum of both says nothing
				b.ReportMetric(float64(turns*each)/claims.Seconds(), "claims/s")
				b.ReportMetric(float64(turns*each)/inserts.Seconds(), "bare/s")
				b.ReportMetric(ratios[turns/2], "claim/bare")
			})
		}
	}
}

func row(turn int, i int64) store.Claim {
	c := claim("acme POST /v1/tickets", fmt.Sprintf("key-%d-%d", turn, i), true)
	c.Data = make([]byte, 300)
	return c
}

func take(ctx context.Context, s store.Store, c store.Claim) error {
	return s.Update(ctx, func(tx store.Tx) error {
		if _, err := tx.Claim(c.ID); !errors.Is(err, store.ErrNotFound) {
			return errors.Join(errors.New("taken"), err)
		}
		return tx.InsertClaim(c)
	})
}

// timed has clients share n calls.
func timed(b *testing.B, clients, n int, call func(i int64) error) time.Duration {
	b.Helper()
	var next atomic.Int64
	var all sync.WaitGroup
	start := time.Now()
	for range clients {
		all.Go(func() {
			for i := next.Add(1); i <= int64(n); i = next.Add(1) {
				if err := call(i); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
	return time.Since(start)
}

// bareInsert inserts a row as a program does that asks for nothing else: no look, no transaction of its own.
func bareInsert(b *testing.B, kind, at string) func(context.Context, store.Claim) error {
	b.Helper()
	switch kind {
	case "sqlite":
		db, err := sql.Open("sqlite", "file:"+filepath.Join(b.TempDir(), "bare.db")+"?_pragma=journal_mode(WAL)&_pragma=synchronous(NORMAL)")
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { db.Close() })
		db.SetMaxOpenConns(1)
		if _, err := db.ExecContext(b.Context(), "CREATE TABLE bare (scope TEXT, key TEXT, tenant TEXT, open INTEGER, data BLOB, settled INTEGER, UNIQUE (scope, key)); "+
			"CREATE INDEX by_key ON bare (tenant, key); CREATE INDEX by_open ON bare (scope, key) WHERE open = 1; CREATE INDEX by_settled ON bare (settled) WHERE settled > 0"); err != nil {
			b.Fatal(err)
		}
		insert, err := db.PrepareContext(b.Context(), "INSERT INTO bare VALUES (?, ?, ?, ?, ?, 0)")
		if err != nil {
			b.Fatal(err)
		}
		return func(ctx context.Context, c store.Claim) error {
			_, err := insert.ExecContext(ctx, c.Scope, c.Key, c.Tenant, c.Open, c.Data)
			return err
		}
	case "postgres":
		pool, err := pgxpool.New(b.Context(), at+"&pool_max_conns=8") // as many as the store has
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(pool.Close)
		if _, err := pool.Exec(b.Context(), "CREATE TABLE bare (LIKE oncespec_claims INCLUDING ALL)"); err != nil {
			b.Fatal(err)
		}
		return func(ctx context.Context, c store.Claim) error {
			_, err := pool.Exec(ctx, "INSERT INTO bare VALUES ($1, $2, $3, $4, $5, 0)", []byte(c.Scope), []byte(c.Key), []byte(c.Tenant), c.Open, c.Data)
			return err
		}
	}
	var mu sync.Mutex
	rows := map[store.ID]store.Claim{}
	return func(_ context.Context, c store.Claim) error {
		mu.Lock()
		defer mu.Unlock()
		rows[c.ID] = c
		return nil
	}
}
