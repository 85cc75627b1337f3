package target

import (
	"context"

	"github.com/oncespec/oncespec/scenarios/target/config"
)

// Intent is one thing to be done once: a fresh key, fresh unique leaves, its own parent where the operation has a setup.
type Intent struct {
	ID        string
	Operation *config.Operation
	Tenant    string
	Key       string
	Markers   []string
	Parent    map[string][]byte // answers of the setup, by step
}

// IntentOption changes how an intent is made.
type IntentOption func(*Intent)

// WithKey gives the intent a key instead of a fresh one.
func WithKey(key string) IntentOption { return func(in *Intent) { in.Key = key } }

// As makes it another tenant's intent.
func As(tenant string) IntentOption { return func(in *Intent) { in.Tenant = tenant } }

// On makes it an intent of another operation.
func On(op *config.Operation) IntentOption { return func(in *Intent) { in.Operation = op } }

// TwinOf gives it the payload, markers and parent of another intent, under a key of its own.
func TwinOf(other *Intent) IntentOption { return func(in *Intent) {} }

// Intent makes one. It runs the setup and takes the "before" readings where a probe needs a baseline (value, exclusive).
// The error is an environment error (setup refused) or a reached limit.
func (s *Stage) Intent(ctx context.Context, opts ...IntentOption) (*Intent, error) { return nil, nil }
