package store

import "database/sql"

func (t sqliteTx) Outgoing(key string) (Outgoing, error) {
	return first(selectRows(t, "outbox", t.outgoing, []any{key}, func(rows *sql.Rows, o *Outgoing) error { return rows.Scan(&o.Key, &o.Body) }))
}

func (t sqliteTx) PutOutgoing(message Outgoing) error {
	return t.exec("put into outbox", t.putOutgoing, message.Key, blob(message.Body))
}

func (t sqliteTx) DeleteOutgoing(key string) error {
	return t.exec("delete from outbox", t.deleteOutgoing, key)
}
