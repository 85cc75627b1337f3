package store

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
)

const (
	selectClaims    = "SELECT scope, key, tenant, open, data, settled FROM oncespec_claims "
	selectDocuments = "SELECT kind, tenant, id, lookup, seq, body FROM oncespec_documents "
	insertClaim     = "INSERT INTO oncespec_claims (scope, key, tenant, open, data, settled) VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (sha256(scope), sha256(key)) "
	thisClaim       = "WHERE sha256(scope) = sha256($1) AND sha256(key) = sha256($2) "
)

// postgresTx is one transaction. It holds its context because the two end together.
type postgresTx struct {
	store  *Postgres
	ctx    context.Context
	tx     pgx.Tx
	broken error // the first statement that failed: nothing can follow it
}

func (t *postgresTx) Claim(id ID) (Claim, error) {
	found, err := t.claims(selectClaims+thisClaim, []byte(id.Scope), []byte(id.Key))
	return first(found, err)
}

func (t *postgresTx) ClaimsByKey(tenant, key string) ([]Claim, error) {
	return t.claims(selectClaims+"WHERE tenant = $1 AND sha256(key) = sha256($2) ORDER BY scope", []byte(tenant), []byte(key))
}

func (t *postgresTx) OpenClaims() ([]Claim, error) {
	return t.claims(selectClaims + "WHERE open ORDER BY scope, key")
}

func (t *postgresTx) SettledClaims(by time.Time, most int) ([]Claim, error) {
	return t.claims(selectClaims+"WHERE settled > 0 AND settled <= $1 ORDER BY settled LIMIT $2", by.UnixMicro(), most)
}

func (t *postgresTx) claims(query string, args ...any) ([]Claim, error) {
	return rowsOf(t, "read claims", query, args, func(row pgx.CollectableRow) (c Claim, err error) {
		var scope, key, tenant []byte
		var micros int64
		err = row.Scan(&scope, &key, &tenant, &c.Open, &c.Data, &micros)
		c.Settled = settled(micros)
		c.ID, c.Tenant = ID{Scope: string(scope), Key: string(key)}, string(tenant)
		return c, err
	})
}

// InsertClaim does not let the database report a taken ID as an error, which would end the transaction.
func (t *postgresTx) InsertClaim(c Claim) error {
	inserted, err := t.exec("insert claim", insertClaim+"DO NOTHING", []byte(c.Scope), []byte(c.Key), []byte(c.Tenant), c.Open, blob(c.Data), micros(c.Settled))
	if err == nil && inserted == 0 {
		return ErrExists
	}
	return err
}

func (t *postgresTx) PutClaim(c Claim) error {
	_, err := t.exec("put claim", insertClaim+"DO UPDATE SET tenant = excluded.tenant, open = excluded.open, data = excluded.data, settled = excluded.settled",
		[]byte(c.Scope), []byte(c.Key), []byte(c.Tenant), c.Open, blob(c.Data), micros(c.Settled))
	return err
}

func (t *postgresTx) DeleteClaim(id ID) error {
	_, err := t.exec("delete claim", "DELETE FROM oncespec_claims "+thisClaim, []byte(id.Scope), []byte(id.Key))
	return err
}

func (t *postgresTx) Document(kind, tenant, id string) (Document, error) {
	found, err := t.documents(selectDocuments+"WHERE kind = $1 AND tenant = $2 AND sha256(id) = sha256($3)", []byte(kind), []byte(tenant), []byte(id))
	return first(found, err)
}

func (t *postgresTx) Documents(query Query) ([]Document, error) {
	var limit *int // NULL is PostgreSQL's word for no limit
	if query.Limit > 0 {
		limit = &query.Limit
	}
	if query.Lookup == "" {
		return t.documents(selectDocuments+"WHERE kind = $1 AND tenant = $2 AND seq > $3 ORDER BY seq LIMIT $4",
			[]byte(query.Kind), []byte(query.Tenant), query.After, limit)
	}
	return t.documents(selectDocuments+"WHERE kind = $1 AND tenant = $2 AND sha256(lookup) = sha256($3) AND seq > $4 ORDER BY seq LIMIT $5",
		[]byte(query.Kind), []byte(query.Tenant), []byte(query.Lookup), query.After, limit)
}

func (t *postgresTx) documents(query string, args ...any) ([]Document, error) {
	return rowsOf(t, "read documents", query, args, func(row pgx.CollectableRow) (d Document, err error) {
		var kind, tenant, id, lookup []byte
		err = row.Scan(&kind, &tenant, &id, &lookup, &d.Seq, &d.Body)
		d.Kind, d.Tenant, d.ID, d.Lookup = string(kind), string(tenant), string(id), string(lookup)
		return d, err
	})
}

func (t *postgresTx) PutDocument(d Document) error {
	_, err := t.exec("put document", "INSERT INTO oncespec_documents (kind, tenant, id, lookup, body) VALUES ($1, $2, $3, $4, $5) "+
		"ON CONFLICT (kind, tenant, sha256(id)) DO UPDATE SET lookup = excluded.lookup, body = excluded.body",
		[]byte(d.Kind), []byte(d.Tenant), []byte(d.ID), []byte(d.Lookup), blob(d.Body))
	return err
}

func (t *postgresTx) exec(step, query string, args ...any) (rows int64, _ error) {
	ctx, cancel := context.WithTimeout(t.ctx, t.store.patience)
	defer cancel()
	tag, err := t.tx.Exec(ctx, query, args...)
	return tag.RowsAffected(), t.noted(step, err)
}

func rowsOf[T any](t *postgresTx, step, query string, args []any, scan pgx.RowToFunc[T]) ([]T, error) {
	ctx, cancel := context.WithTimeout(t.ctx, t.store.patience)
	defer cancel()
	rows, err := t.tx.Query(ctx, query, args...)
	if err != nil {
		return nil, t.noted(step, err)
	}
	found, err := pgx.CollectRows(rows, scan)
	return found, t.noted(step, err)
}

func (t *postgresTx) noted(step string, err error) error {
	err = failed(t.ctx, step, err)
	if t.broken == nil {
		t.broken = err
	}
	return err
}
