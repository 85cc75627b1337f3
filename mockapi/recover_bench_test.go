package mockapi_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path"
	"path/filepath"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"

	"github.com/oncespec/oncespec/mockapi"
	"github.com/oncespec/oncespec/mockapi/contract"
	"github.com/oncespec/oncespec/mockapi/reference"
	"github.com/oncespec/oncespec/mockapi/store"
	"github.com/oncespec/oncespec/mockapi/store/storetest"
)

const (
	unresolved  = 10_000
	askedAtOnce = 16 // by the bare client; recovery asks as many
)

// BenchmarkRecovery settles what a server that died left in progress: half of it was booked and is completed, the other half is
// released. Each is asked for downstream. The ratio is to the least that somebody could do who wants to know as much: read the
// same rows, and ask the downstream once for each. It is measured right before the recovery and right after, in the same run.
//
//	go test ./mockapi -run '^$' -bench Recovery -benchtime 1x -count 3
func BenchmarkRecovery(b *testing.B) {
	provider := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if path.Base(r.URL.Path)[0] < '8' { // a hexadecimal digit of a digest
			w.WriteHeader(http.StatusNotFound)
		}
	}))
	defer provider.Close()
	for name, fresh := range map[string]func(*testing.B) string{
		"memory":   func(*testing.B) string { return "" },
		"sqlite":   func(b *testing.B) string { return filepath.Join(b.TempDir(), "mock.db") },
		"postgres": func(b *testing.B) string { return storetest.Schema(b) },
	} {
		b.Run(name, func(b *testing.B) {
			var took, answering, bare time.Duration
			for range b.N {
				at := fresh(b)
				kept, err := store.Open(b.Context(), at)
				if err != nil {
					b.Fatal(err)
				}
				leave(b, kept)
				before := readAndAsk(b, name, at, provider.URL)
				all, serving := recovered(b, kept, provider.URL)
				bare += (before + readAndAsk(b, name, at, provider.URL)) / 2
				took, answering = took+all, answering+serving
				kept.Close()
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(took.Seconds()/float64(b.N), "s/10000")
			b.ReportMetric(answering.Seconds()/float64(b.N), "s-until-serving")
			b.ReportMetric(float64(unresolved*b.N)/took.Seconds(), "records/s")
			b.ReportMetric(bare.Seconds()/float64(b.N), "bare-s/10000")
			b.ReportMetric(took.Seconds()/bare.Seconds(), "times-bare")
		})
	}
}

// abandoned is the n-th row that the dead server left, and its downstream key.
func abandoned(n int) (row []byte, downstream string) {
	key := fmt.Sprintf("k%05d", n)
	downstream = reference.DownstreamKey("acme POST /v1/tickets", key)
	return fmt.Appendf(nil, `{"scope":"acme POST /v1/tickets","key":%q,"fingerprint":"f","state":"in_progress","owner":"dead.%d","version":1,"downstream":%q,`+
		`"created":"2025-01-01T00:00:01Z","updated":"2025-01-01T00:00:01Z","tenant":"acme","operation":"tickets.create","command":{"project":"ops","title":"t"}}`,
		key, n, downstream), downstream
}

// leave fills the store as the dead server left it.
func leave(b *testing.B, kept store.Store) {
	b.Helper()
	const together = 500
	for begin := 0; begin < unresolved; begin += together {
		if err := kept.Update(b.Context(), func(tx store.Tx) error {
			for i := begin; i < begin+together; i++ {
				row, _ := abandoned(i)
				id := store.ID{Scope: "acme POST /v1/tickets", Key: fmt.Sprintf("k%05d", i)}
				if err := tx.InsertClaim(store.Claim{ID: id, Tenant: "acme", Open: true, Data: row}); err != nil {
					return err
				}
			}
			return nil
		}); err != nil {
			b.Fatal(err)
		}
	}
}

// recovered has a new server settle everything.
func recovered(b *testing.B, kept store.Store, provider string) (took, answering time.Duration) {
	b.Helper()
	promised, err := contract.Profile(contract.DefaultProfile)
	if err != nil {
		b.Fatal(err)
	}
	server, err := mockapi.New(mockapi.Options{Contract: promised, Store: kept, Downstream: provider})
	if err != nil {
		b.Fatal(err)
	}
	defer server.Close()
	begun := time.Now()
	if err := server.Recover(b.Context()); err != nil {
		b.Fatal(err)
	}
	answering = time.Since(begun)
	for open := 1; open > 0; time.Sleep(100 * time.Millisecond) {
		if err := kept.View(b.Context(), func(r store.Reader) error {
			claims, err := r.OpenClaims()
			open = len(claims)
			return err
		}); err != nil {
			b.Fatal(err)
		}
	}
	took = time.Since(begun)
	booked := 0
	if err := kept.View(b.Context(), func(r store.Reader) error {
		found, err := r.Documents(store.Query{Kind: "ticket", Tenant: "acme"})
		booked = len(found)
		return err
	}); err != nil {
		b.Fatal(err)
	}
	if booked < unresolved/3 || booked > 2*unresolved/3 {
		b.Fatalf("%d of %d were completed, want about half", booked, unresolved)
	}
	return took, answering
}

// readAndAsk reads the rows in one query, and asks downstream for each, over a connection of its own.
func readAndAsk(b *testing.B, kind, at, provider string) time.Duration {
	b.Helper()
	read := bareRead(b, kind, at)
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	begun := time.Now()
	n, err := read()
	if err != nil || n != unresolved {
		b.Fatalf("%d rows, %v", n, err)
	}
	var all errgroup.Group
	all.SetLimit(askedAtOnce)
	for i := range unresolved {
		all.Go(func() error {
			_, key := abandoned(i)
			answer, err := client.Get(provider + "/v1/bookings/" + url.PathEscape(key))
			if err != nil {
				return err
			}
			_, err = io.Copy(io.Discard, answer.Body)
			return errors.Join(err, answer.Body.Close())
		})
	}
	if err := all.Wait(); err != nil {
		b.Fatal(err)
	}
	return time.Since(begun)
}

// bareRead reads every row as a program does that knows nothing of claims; in memory there is nothing to read.
func bareRead(b *testing.B, kind, at string) func() (n int, err error) {
	b.Helper()
	switch kind {
	case "sqlite":
		db, err := sql.Open("sqlite", "file:"+at)
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { db.Close() })
		return func() (n int, err error) {
			rows, err := db.QueryContext(b.Context(), "SELECT data FROM claims")
			if err != nil {
				return 0, err
			}
			defer rows.Close()
			for data := []byte(nil); rows.Next(); n++ {
				if err := rows.Scan(&data); err != nil {
					return n, err
				}
			}
			return n, rows.Err()
		}
	case "postgres":
		conn, err := pgx.Connect(b.Context(), at)
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { conn.Close(context.Background()) })
		return func() (n int, err error) {
			rows, err := conn.Query(b.Context(), "SELECT data FROM oncespec_claims")
			if err != nil {
				return 0, err
			}
			data, err := pgx.CollectRows(rows, pgx.RowTo[[]byte])
			return len(data), err
		}
	}
	return func() (int, error) { return unresolved, nil }
}
