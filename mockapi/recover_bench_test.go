package mockapi_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"path"
	"path/filepath"
	"testing"
	"time"

	"github.com/oncespec/oncespec/mockapi"
	"github.com/oncespec/oncespec/mockapi/contract"
	"github.com/oncespec/oncespec/mockapi/reference"
	"github.com/oncespec/oncespec/mockapi/store"
	"github.com/oncespec/oncespec/mockapi/store/storetest"
)

// BenchmarkRecovery settles what a server that died left in progress: half of it was booked and is completed, the other half is
// released. Each is asked for downstream.
//
//	go test ./mockapi -run '^$' -bench Recovery -benchtime 1x
func BenchmarkRecovery(b *testing.B) {
	const unresolved, together = 10_000, 500
	provider := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if path.Base(r.URL.Path)[0] < '8' { // a hexadecimal digit of a digest
			w.WriteHeader(http.StatusNotFound)
		}
	}))
	defer provider.Close()
	promised, err := contract.Profile(contract.DefaultProfile)
	if err != nil {
		b.Fatal(err)
	}
	for name, fresh := range map[string]func() string{
		"memory":   func() string { return "" },
		"sqlite":   func() string { return filepath.Join(b.TempDir(), "mock.db") },
		"postgres": nil,
	} {
		b.Run(name, func(b *testing.B) {
			if fresh == nil {
				schema := storetest.Schema(b)
				fresh = func() string { return schema }
			}
			var took, answering time.Duration
			for range b.N {
				kept, err := store.Open(b.Context(), fresh())
				if err != nil {
					b.Fatal(err)
				}
				for begin := 0; begin < unresolved; begin += together {
					if err := kept.Update(b.Context(), func(tx store.Tx) error {
						for i := begin; i < begin+together; i++ {
							key := fmt.Sprintf("k%05d", i)
							if err := tx.InsertClaim(store.Claim{ID: store.ID{Scope: "acme POST /v1/tickets", Key: key}, Tenant: "acme", Open: true,
								Data: fmt.Appendf(nil, `{"scope":"acme POST /v1/tickets","key":%q,"fingerprint":"f","state":"in_progress","owner":"dead.%d","version":1,"downstream":%q,`+
									`"created":"2025-01-01T00:00:01Z","updated":"2025-01-01T00:00:01Z","tenant":"acme","operation":"tickets.create","command":{"project":"ops","title":"t"}}`,
									key, i, reference.DownstreamKey("acme POST /v1/tickets", key))}); err != nil {
								return err
							}
						}
						return nil
					}); err != nil {
						b.Fatal(err)
					}
				}
				server, err := mockapi.New(mockapi.Options{Contract: promised, Store: kept, Downstream: provider.URL})
				if err != nil {
					b.Fatal(err)
				}
				begun := time.Now()
				if err := server.Recover(b.Context()); err != nil {
					b.Fatal(err)
				}
				answering += time.Since(begun)
				for open := 1; open > 0; time.Sleep(100 * time.Millisecond) {
					if err := kept.View(b.Context(), func(r store.Reader) error {
						claims, err := r.OpenClaims()
						open = len(claims)
						return err
					}); err != nil {
						b.Fatal(err)
					}
				}
				took += time.Since(begun)
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
				server.Close()
				kept.Close()
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(took.Seconds()/float64(b.N), "s/10000")
			b.ReportMetric(answering.Seconds()/float64(b.N), "s-until-serving")
			b.ReportMetric(float64(unresolved*b.N)/took.Seconds(), "records/s")
		})
	}
}
