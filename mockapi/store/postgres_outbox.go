package store

import "github.com/jackc/pgx/v5"

func (t *postgresTx) Outgoing(key string) (Outgoing, error) {
	return first(rowsOf(t, "read outbox", "SELECT key, body FROM oncespec_outbox WHERE key = $1", []any{[]byte(key)}, func(row pgx.CollectableRow) (o Outgoing, err error) {
		var key []byte
		err = row.Scan(&key, &o.Body)
		o.Key = string(key)
		return o, err
	}))
}

func (t *postgresTx) PutOutgoing(message Outgoing) error {
	_, err := t.exec("put into outbox", "INSERT INTO oncespec_outbox (key, body) VALUES ($1, $2) ON CONFLICT (key) DO UPDATE SET body = excluded.body",
		[]byte(message.Key), blob(message.Body))
	return err
}

func (t *postgresTx) DeleteOutgoing(key string) error {
	_, err := t.exec("delete from outbox", "DELETE FROM oncespec_outbox WHERE key = $1", []byte(key))
	return err
}
