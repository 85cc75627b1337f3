package store

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// postgresTables keep text as bytea: any byte may occur in a key, a NUL too, and order and equality are those of bytes whatever
// the database's encoding and collation. What may be long is indexed by its digest, since a row of an index is small. Seq is
// given when a document is inserted, so of two transactions at a time the later one may commit first.
const postgresTables = `
CREATE TABLE oncespec_claims (
	scope  bytea NOT NULL,
	key    bytea NOT NULL,
	tenant bytea NOT NULL,
	open   boolean NOT NULL,
	data   bytea NOT NULL,
	settled bigint NOT NULL
);
CREATE UNIQUE INDEX oncespec_claims_id ON oncespec_claims (sha256(scope), sha256(key));
CREATE INDEX oncespec_claims_by_key ON oncespec_claims (sha256(key));
CREATE INDEX oncespec_claims_open ON oncespec_claims (sha256(scope), sha256(key)) WHERE open;
CREATE INDEX oncespec_claims_settled ON oncespec_claims (settled) WHERE settled > 0;
CREATE TABLE oncespec_outbox (
	key  bytea PRIMARY KEY,
	body bytea NOT NULL
);
CREATE TABLE oncespec_members (
	name   text COLLATE "C" PRIMARY KEY,
	beat   bigint NOT NULL,
	class  integer NOT NULL, -- of the advisory lock that goes with it
	object integer NOT NULL
);
CREATE TABLE oncespec_documents (
	seq    bigint GENERATED ALWAYS AS IDENTITY,
	kind   bytea NOT NULL,
	tenant bytea NOT NULL,
	id     bytea NOT NULL,
	lookup bytea NOT NULL,
	body   bytea NOT NULL
);
CREATE UNIQUE INDEX oncespec_documents_id ON oncespec_documents (kind, tenant, sha256(id));
CREATE INDEX oncespec_documents_in_order ON oncespec_documents (kind, tenant, seq);
CREATE INDEX oncespec_documents_by_lookup ON oncespec_documents (kind, tenant, sha256(lookup), seq);
CREATE TABLE oncespec_store (version integer NOT NULL);
`

// migrate creates the tables where there are none. Several processes may start at a time, and the role need not have the
// right to create where somebody else has done it.
func (p *Postgres) migrate(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, p.patience)
	defer cancel()
	return pgx.BeginFunc(ctx, p.pool, func(tx pgx.Tx) error {
		var inside *string
		if err := tx.QueryRow(ctx, "SELECT current_schema()").Scan(&inside); err != nil {
			return err
		}
		if inside == nil {
			return errNoSchema
		}
		if _, err := tx.Exec(ctx, "SELECT pg_advisory_xact_lock(hashtext('oncespec store'), hashtext($1))", *inside); err != nil {
			return err
		}
		var there bool
		if err := tx.QueryRow(ctx, "SELECT to_regclass(format('%I.oncespec_store', $1::text)) IS NOT NULL", *inside).Scan(&there); err != nil {
			return err
		}
		if !there {
			if _, err := tx.Exec(ctx, postgresTables); err != nil {
				return err
			}
			_, err := tx.Exec(ctx, "INSERT INTO oncespec_store VALUES ($1)", schema)
			return err
		}
		var version int
		if err := tx.QueryRow(ctx, "SELECT version FROM oncespec_store").Scan(&version); err != nil {
			return err
		}
		if version != schema {
			return fmt.Errorf("schema %s holds tables of version %d, expected %d: start with a new schema (?search_path=NAME)", *inside, version, schema)
		}
		return nil
	})
}
