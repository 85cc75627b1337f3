package store

import "time"

// SetPatience lets a test wait for less.
func SetPatience(s Store, patience time.Duration) { s.(*Postgres).patience = patience }
