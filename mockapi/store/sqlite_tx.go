package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"
)

// statements are prepared once a pool: parsing would cost more than running them.
type statements struct {
	claim, claimsByKey, openClaims, settledClaims       *sql.Stmt
	insertClaim, putClaim, deleteClaim                  *sql.Stmt
	outgoing, putOutgoing, deleteOutgoing               *sql.Stmt
	document, documents, documentsByLookup, putDocument *sql.Stmt
}

func (s *statements) prepare(ctx context.Context, db *sql.DB) error {
	const (
		claimColumns    = "SELECT scope, key, tenant, open, data, settled FROM claims "
		documentColumns = "SELECT kind, tenant, id, lookup, seq, body FROM documents "
		insertClaim     = "INSERT INTO claims (scope, key, tenant, open, data, settled) VALUES (?, ?, ?, ?, ?, ?) "
	)
	for _, p := range []struct {
		into  **sql.Stmt
		query string
	}{
		{&s.claim, claimColumns + "WHERE scope = ? AND key = ?"},
		{&s.claimsByKey, claimColumns + "WHERE tenant = ? AND key = ? ORDER BY scope"},
		{&s.openClaims, claimColumns + "WHERE open = 1 ORDER BY scope, key"},
		{&s.settledClaims, claimColumns + "WHERE settled > 0 AND settled <= ? ORDER BY settled LIMIT ?"},
		{&s.insertClaim, insertClaim},
		{&s.putClaim, insertClaim + "ON CONFLICT (scope, key) DO UPDATE SET tenant = excluded.tenant, open = excluded.open, data = excluded.data, settled = excluded.settled"},
		{&s.deleteClaim, "DELETE FROM claims WHERE scope = ? AND key = ?"},
		{&s.outgoing, "SELECT key, body FROM outbox WHERE key = ?"},
		{&s.putOutgoing, "INSERT INTO outbox (key, body) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET body = excluded.body"},
		{&s.deleteOutgoing, "DELETE FROM outbox WHERE key = ?"},
		{&s.document, documentColumns + "WHERE kind = ? AND tenant = ? AND id = ?"},
		{&s.documents, documentColumns + "WHERE kind = ? AND tenant = ? AND seq > ? ORDER BY seq LIMIT ?"},
		{&s.documentsByLookup, documentColumns + "WHERE kind = ? AND tenant = ? AND lookup = ? AND seq > ? ORDER BY seq LIMIT ?"},
		{&s.putDocument, "INSERT INTO documents (kind, tenant, id, lookup, body) VALUES (?, ?, ?, ?, ?) " +
			"ON CONFLICT (kind, tenant, id) DO UPDATE SET lookup = excluded.lookup, body = excluded.body"},
	} {
		statement, err := db.PrepareContext(ctx, p.query)
		if err != nil {
			return fmt.Errorf("prepare %q: %w", p.query, err)
		}
		*p.into = statement
	}
	return nil
}

// sqliteTx is one transaction. It holds its context because the two end together.
type sqliteTx struct {
	ctx context.Context
	tx  *sql.Tx
	*statements
}

func (t sqliteTx) Claim(id ID) (Claim, error) {
	found, err := t.selectClaims(t.claim, id.Scope, id.Key)
	return first(found, err)
}

func (t sqliteTx) ClaimsByKey(tenant, key string) ([]Claim, error) {
	return t.selectClaims(t.claimsByKey, tenant, key)
}

func (t sqliteTx) OpenClaims() ([]Claim, error) {
	return t.selectClaims(t.openClaims)
}

func (t sqliteTx) SettledClaims(by time.Time, most int) ([]Claim, error) {
	return t.selectClaims(t.settledClaims, by.UnixMicro(), most)
}

func (t sqliteTx) selectClaims(statement *sql.Stmt, args ...any) ([]Claim, error) {
	return selectRows(t, "claims", statement, args, func(rows *sql.Rows, c *Claim) error {
		var micros int64
		err := rows.Scan(&c.Scope, &c.Key, &c.Tenant, &c.Open, &c.Data, &micros)
		c.Settled = settled(micros)
		return err
	})
}

func (t sqliteTx) InsertClaim(claim Claim) error {
	err := t.exec("insert claim", t.insertClaim, claim.Scope, claim.Key, claim.Tenant, claim.Open, blob(claim.Data), micros(claim.Settled))
	if isTaken(err) {
		return ErrExists
	}
	return err
}

func (t sqliteTx) PutClaim(claim Claim) error {
	return t.exec("put claim", t.putClaim, claim.Scope, claim.Key, claim.Tenant, claim.Open, blob(claim.Data), micros(claim.Settled))
}

func (t sqliteTx) DeleteClaim(id ID) error {
	return t.exec("delete claim", t.deleteClaim, id.Scope, id.Key)
}

func (t sqliteTx) Document(kind, tenant, id string) (Document, error) {
	found, err := t.selectDocuments(t.document, kind, tenant, id)
	return first(found, err)
}

func (t sqliteTx) Documents(query Query) ([]Document, error) {
	limit := query.Limit
	if limit == 0 {
		limit = -1 // SQLite's word for no limit
	}
	if query.Lookup == "" {
		return t.selectDocuments(t.documents, query.Kind, query.Tenant, query.After, limit)
	}
	return t.selectDocuments(t.documentsByLookup, query.Kind, query.Tenant, query.Lookup, query.After, limit)
}

func (t sqliteTx) selectDocuments(statement *sql.Stmt, args ...any) ([]Document, error) {
	return selectRows(t, "documents", statement, args, func(rows *sql.Rows, d *Document) error {
		return rows.Scan(&d.Kind, &d.Tenant, &d.ID, &d.Lookup, &d.Seq, &d.Body)
	})
}

func (t sqliteTx) PutDocument(document Document) error {
	return t.exec("put document", t.putDocument,
		document.Kind, document.Tenant, document.ID, document.Lookup, blob(document.Body))
}

func (t sqliteTx) exec(what string, statement *sql.Stmt, args ...any) error {
	if _, err := t.tx.StmtContext(t.ctx, statement).ExecContext(t.ctx, args...); err != nil {
		return fmt.Errorf("SQLite store: %s: %w", what, err)
	}
	return nil
}

func selectRows[T any](t sqliteTx, what string, statement *sql.Stmt, args []any, scan func(*sql.Rows, *T) error) (found []T, err error) {
	rows, err := t.tx.StmtContext(t.ctx, statement).QueryContext(t.ctx, args...)
	if err != nil {
		return nil, fmt.Errorf("SQLite store: read %s: %w", what, err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var row T
		if err := scan(rows, &row); err != nil {
			return nil, fmt.Errorf("SQLite store: read %s: %w", what, err)
		}
		found = append(found, row)
	}
	return found, rows.Err()
}

func first[T any](found []T, err error) (T, error) {
	var none T
	switch {
	case err != nil:
		return none, err
	case len(found) == 0:
		return none, ErrNotFound
	}
	return found[0], nil
}

// blob keeps empty apart from NULL.
func blob(data []byte) []byte {
	if data == nil {
		return []byte{}
	}
	return data
}
