package target

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/oncespec/oncespec/mockapi/contract"
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/rewrite"
	"github.com/oncespec/oncespec/scenarios/target/config"
	"github.com/oncespec/oncespec/scenarios/target/template"
)

// Intent is one thing to be done once: a fresh key, fresh unique leaves, its own parent where the operation has a setup.
type Intent struct {
	ID        string
	Operation *config.Operation
	Tenant    string
	Key       string
	Markers   []string
	Parent    map[string][]byte // answers of the setup, by step

	twin  *Intent
	state *intentState
}

// IntentOption changes how an intent is made.
type IntentOption func(*Intent)

// WithKey gives the intent a key instead of a fresh one.
func WithKey(key string) IntentOption { return func(in *Intent) { in.Key = key } }

// As makes it another tenant's intent.
func As(tenant string) IntentOption { return func(in *Intent) { in.Tenant = tenant } }

// On makes it an intent of another operation.
func On(op *config.Operation) IntentOption { return func(in *Intent) { in.Operation = op } }

// TwinOf gives it the operation, payload, markers and parent of another intent, under a key of its own.
func TwinOf(other *Intent) IntentOption { return func(in *Intent) { in.twin = other } }

// intentState is what the stage knows of an intent beyond what procedures need.
type intentState struct {
	operation *preparedOperation
	isolation string
	family    *family
	request   rewrite.Request // its own, without credentials and key
	vars      template.Vars   // without the answer
	baseline  map[string]reading
	trace     *trace
	foreign   bool // of another tenant than its twin, so the values that were read before the twin acted are no baseline for it

	mu     sync.Mutex
	since  time.Time // of its first attempt
	sent   int
	own    bool   // its own payload was sent
	answer []byte // of the first success, as far as it is kept; only where the configuration names something in it
}

// Intent makes one. It runs the setup and takes the "before" readings where a probe needs a baseline (value, exclusive).
// The error is an environment error (setup refused) or a reached limit.
func (s *Stage) Intent(ctx context.Context, opts ...IntentOption) (*Intent, error) {
	t := s.target
	in := &Intent{Operation: s.run.op, Tenant: t.defaultTenant()}
	for _, o := range opts {
		o(in)
	}
	if in.twin != nil {
		in.Operation = in.twin.Operation
	}
	if err := t.countObject(); err != nil {
		return nil, err
	}
	if in.Key == "" {
		key, err := t.newKey()
		if err != nil {
			return nil, err
		}
		in.Key = key
	}
	op := t.operations[in.Operation]
	if op == nil {
		return nil, fmt.Errorf("intent: the configuration has no operation %q", in.Operation.Name)
	}
	in.state = &intentState{operation: op, isolation: in.Operation.Isolate}
	if in.twin != nil {
		in.join(in.twin)
	} else if err := s.found(ctx, in); err != nil {
		return nil, err
	}
	record := history.Intent{
		Operation: in.Operation.Name,
		Tenant:    in.Tenant,
		Key:       t.redact.text(in.Key),
		Markers:   t.redact.words(in.Markers),
		Isolation: in.state.isolation,
	}
	if in.twin != nil {
		record.TwinOf = in.twin.ID
	}
	in.ID = s.rec.addIntent(record)
	if in.twin == nil {
		s.baseline(ctx, in)
	}
	s.mu.Lock()
	s.intents = append(s.intents, in)
	s.mu.Unlock()
	return in, nil
}

// ForEach calls do for each intent, at most atOnce at a time, and returns when all have returned.
func ForEach(atOnce int, intents []*Intent, do func(*Intent)) {
	var all sync.WaitGroup
	free := make(chan struct{}, atOnce)
	for _, in := range intents {
		free <- struct{}{}
		all.Go(func() {
			do(in)
			<-free
		})
	}
	all.Wait()
}

// Age is how long ago the intent was first sent; 0: it was not.
func (in *Intent) Age() time.Duration {
	in.state.mu.Lock()
	defer in.state.mu.Unlock()
	if in.state.sent == 0 {
		return 0
	}
	return time.Since(in.state.since)
}

// join makes the intent a twin of another: they share everything but the key.
func (in *Intent) join(twin *Intent) {
	in.Markers, in.Parent = slices.Clone(twin.Markers), twin.Parent
	st := in.state
	st.isolation, st.family, st.trace = twin.state.isolation, twin.state.family, twin.state.trace
	st.vars, st.baseline = twin.state.vars, twin.state.baseline
	st.foreign = in.Tenant != twin.Tenant || twin.state.foreign
	st.vars.Key = in.Key
	st.request = twin.state.request.Clone()
	// The path and headers are filled in anew, since they may hold the key. That succeeded for the twin, so it does here.
	_ = st.operation.request.fillHead(&st.request, st.vars)
	in.rekey(twin.Key)
}

// rekey writes the twin's own key where the payload holds the other one's, unless the two are told by it: it would be a retry
// of the other one, for a target that looks for the key there.
func (in *Intent) rekey(other string) {
	holds := func(marker string) bool { return strings.Contains(marker, other) }
	r, st := in.Operation.Request, in.state
	if other != "" && strings.Contains(string(r.Body)+r.BodyText, "{key}") && !slices.ContainsFunc(in.Markers, holds) {
		st.request.Body = bytes.ReplaceAll(st.request.Body, []byte(other), []byte(in.Key))
	}
}

// found makes the intent's parent, by the setup, and its payload.
func (s *Stage) found(ctx context.Context, in *Intent) error {
	t := s.target
	st := in.state
	st.family = &family{}
	st.vars = t.vars()
	st.vars.Key = in.Key
	st.vars.Setup = map[string][]byte{}
	for _, step := range st.operation.setup {
		answer, err := s.setUp(ctx, in, step)
		if err != nil {
			return err
		}
		st.vars.Setup[step.name] = answer
	}
	in.Parent = st.vars.Setup
	var err error
	if st.request, err = st.operation.request.fill(st.vars); err != nil {
		return fmt.Errorf("operation %s: request: %w", in.Operation.Name, err)
	}
	for _, pointer := range st.operation.unique {
		body, marker, err := makeUnique(st.request.Body, pointer, t.tag)
		if err != nil {
			return fmt.Errorf("operation %s: %w", in.Operation.Name, err)
		}
		st.request.Body = body
		in.Markers = append(in.Markers, marker)
	}
	if len(in.Markers) == 0 {
		in.Markers = leaves(st.request.Body, st.operation.filled)
	}
	st.vars.Body = st.request.Body
	if err := st.operation.request.fillHead(&st.request, st.vars); err != nil {
		return fmt.Errorf("operation %s: request: %w", in.Operation.Name, err)
	}
	st.trace = newTrace(in, t.tag)
	return nil
}

// setUp sends one request of the setup. It is no attempt: nothing is judged by it.
func (s *Stage) setUp(ctx context.Context, in *Intent, step setupStep) ([]byte, error) {
	t := s.target
	name := fmt.Sprintf("operation %s: setup step %s", in.Operation.Name, step.name)
	request, err := step.form.fill(in.state.vars)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	credential(&request, t.cfg.Target.Tenants[in.Tenant], Own)
	answer, err := t.call(ctx, request)
	if err != nil {
		return nil, &EnvironmentError{What: fmt.Sprintf("%s (%s %s)", name, request.Method, t.redact.target(request.Target())), Err: err}
	}
	if answer.Status < 200 || answer.Status > 299 {
		return nil, &EnvironmentError{
			What: fmt.Sprintf("%s (%s %s)", name, request.Method, t.redact.target(request.Target())),
			Err:  fmt.Errorf("expected a 2xx answer, found %d: %s", answer.Status, t.says(answer.Body)),
		}
	}
	return answer.Body, nil
}

// newKey makes a key that no earlier run has used either.
func (t *Target) newKey() (string, error) {
	shapes := t.cfg.Contract.Key.Shapes()
	if len(shapes) == 0 {
		shapes = []contract.Shape{contract.ShapeUUID}
	}
	key, err := t.cfg.Contract.Key.New(shapes[0], rand.Reader)
	if err != nil {
		return "", fmt.Errorf("idempotency key: %w", err)
	}
	return key, nil
}

// label fills in what an attempt is called.
func (st *intentState) label(given string) string {
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.sent++; st.sent == 1 {
		st.since = time.Now()
	}
	switch {
	case given != "":
		return given
	case st.sent == 1:
		return "first"
	}
	return "retry"
}

// took notes which payload was sent.
func (st *intentState) took(send Send) {
	st.mu.Lock()
	defer st.mu.Unlock()
	if !send.aside && !send.Change && send.Sample == "" && (send.Exact == nil || st.samePayload(*send.Exact)) {
		st.own = true
	}
}

// samePayload tells whether a request carries the intent's own payload, white space aside.
func (st *intentState) samePayload(r rewrite.Request) bool {
	if r.Method != st.request.Method || r.Target() != st.request.Target() || !sameInk(r.Body, st.request.Body) {
		return false
	}
	return bytes.Equal(r.Body, st.request.Body) || bytes.Equal(compact(r.Body), compact(st.request.Body))
}

// sameInk tells whether two bodies are equal where white space is left out, wherever it stands: if not, no reading makes them
// equal.
func sameInk(a, b []byte) bool {
	space := func(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }
	for {
		for len(a) > 0 && space(a[0]) {
			a = a[1:]
		}
		for len(b) > 0 && space(b[0]) {
			b = b[1:]
		}
		if len(a) == 0 || len(b) == 0 || a[0] != b[0] {
			return len(a) == len(b) && len(a) == 0
		}
		a, b = a[1:], b[1:]
	}
}

func compact(body []byte) []byte {
	root, err := rewrite.Parse(body)
	if err != nil {
		return body
	}
	return root.Append(nil)
}

// landed notes what an answer says of the intent.
func (st *intentState) landed(f *Flight, class contract.Class) {
	if !class.Success() || f.attempt.Replaced || f.send.aside {
		return
	}
	st.mu.Lock()
	defer st.mu.Unlock()
	whose := f.intent
	if class == contract.Replay && whose.twin != nil && whose.twin.Key == whose.Key {
		whose = whose.twin // what its key was used for before: there is no second effect to wait for
	}
	st.trace.promise(whose.ID, whose.Tenant)
	if st.answer == nil && f.answer != nil && st.operation.namesAnswer {
		st.answer = f.answer.Body
	}
}

// isOwn tells whether the intent's own payload is what was sent first of all.
func (st *intentState) isOwn() bool {
	st.mu.Lock()
	defer st.mu.Unlock()
	return st.own
}

func (st *intentState) wasSent() bool {
	st.mu.Lock()
	defer st.mu.Unlock()
	return st.sent > 0
}

// filled are the variables with the first answer, where there is one.
func (in *Intent) filled() template.Vars {
	st := in.state
	v := st.vars
	st.mu.Lock()
	defer st.mu.Unlock()
	v.Answer = st.answer
	return v
}

// leaves are the texts and numbers at the pointers.
func leaves(body []byte, pointers []string) (values []string) {
	for _, pointer := range pointers {
		start, end, err := locate(body, pointer)
		if err != nil {
			continue // what is filled in there is no leaf
		}
		value := string(body[start:end])
		var text string
		if json.Unmarshal(body[start:end], &text) == nil {
			value = text
		}
		values = append(values, value)
	}
	return values
}

// templated tells whether the configuration's own text at a pointer holds a placeholder of the intent: such a leaf is unique
// by what fills it in.
func templated(body []byte, pointer string) bool {
	root, err := rewrite.Parse(body)
	if err != nil {
		return false
	}
	at, err := rewrite.ParsePointer(pointer)
	if err != nil {
		return false
	}
	leaf, ok := root.At(at)
	return ok && leaf.Kind == rewrite.String && (strings.Contains(leaf.Text, "{setup.") || strings.Contains(leaf.Text, "{key}"))
}
