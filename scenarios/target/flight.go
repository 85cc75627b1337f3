package target

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/oncespec/oncespec/faults/link"
	"github.com/oncespec/oncespec/mockapi/contract"
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/rewrite"
	"github.com/oncespec/oncespec/scenarios/target/wire"
)

const (
	// keptAnswer is how much of an answer's body is kept while it is needed; a history keeps less.
	keptAnswer = 2 << 20
	// forwardLimit bounds the wait for bytes that the client has written to be handed on to the target.
	forwardLimit = time.Second
)

var (
	errGaveUp = errors.New("the client gave up")
	errLeft   = errors.New("the procedure ended and left the attempt open")
)

// Flight is an attempt under way.
type Flight struct {
	stage   *Stage
	intent  *Intent
	at      *instance
	host    string // how the target is named in the request
	url     string // where that is, in the history
	send    Send
	request rewrite.Request
	wire    *link.Wire
	stream  *wire.Stream // nil unless it shares a connection
	shared  *sharedConnection
	cancel  context.CancelCauseFunc
	ctx     context.Context

	done    chan struct{}
	attempt *history.Attempt // written before done is closed
	answer  *wire.Answer     // unredacted; nil without one
}

// Done is closed when the outcome is known and recorded.
func (f *Flight) Done() <-chan struct{} { return f.done }

// Over tells whether the outcome is known.
func (f *Flight) Over() bool {
	select {
	case <-f.done:
		return true
	default:
		return false
	}
}

// Wait returns the attempt once its outcome is known. When the context ends first, the client gives up, and the attempt is
// returned as lost.
func (f *Flight) Wait(ctx context.Context) *history.Attempt {
	select {
	case <-f.done:
	case <-ctx.Done():
		f.cancel(context.Cause(ctx))
		<-f.done
	}
	return f.attempt
}

// Within waits for the outcome, but no longer than that, and tells whether it is known.
func (f *Flight) Within(ctx context.Context, limit time.Duration) bool {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-f.done:
		return true
	case <-timer.C:
	case <-ctx.Done():
	}
	return false
}

// Answering waits until the target begins to answer; false: the flight, or the context, ended before it did.
func (f *Flight) Answering(ctx context.Context) bool {
	if f.wire == nil || f.stream != nil {
		return false
	}
	select {
	case <-f.wire.FirstResponse():
		return true
	case <-f.done:
		return !f.wire.Proof().FirstResponseByte.IsZero()
	case <-ctx.Done():
		return false
	}
}

// Sending waits until the target has some of the request; false: the flight, or the context, ended before it had.
func (f *Flight) Sending(ctx context.Context) bool {
	if f.wire == nil {
		return false
	}
	forwarded := f.wire.RequestForwarded(1)
	if f.stream != nil {
		forwarded = f.shared.all.Done()
	}
	select {
	case <-forwarded:
		return true
	case <-f.done:
	case <-ctx.Done():
		return false
	}
	return f.proof().RequestForwarded > 0
}

// Wire is the attempt's connection, for proofs and releases: FirstResponse, RequestForwarded, Release.
func (f *Flight) Wire() *link.Wire { return f.wire }

// Go starts an attempt.
func (s *Stage) Go(ctx context.Context, in *Intent, send Send) *Flight {
	f, ready := s.seat(ctx, in, send)
	if ready {
		go f.inTurn()
	}
	return f
}

// here is Go for who waits: the attempt's outcome is known when it returns.
func (s *Stage) here(ctx context.Context, in *Intent, send Send) *Flight {
	f, ready := s.seat(ctx, in, send)
	if ready {
		f.inTurn()
	}
	return f
}

// seat boards; false: the flight has landed already.
func (s *Stage) seat(ctx context.Context, in *Intent, send Send) (*Flight, bool) {
	f, err := s.board(ctx, in, send)
	if err != nil {
		f.land(wire.Result{Outcome: history.Unsent, Reason: err.Error()})
	}
	return f, err == nil
}

// inTurn flies when the rate allows it.
func (f *Flight) inTurn() {
	if err := f.stage.target.pace(f.ctx); err != nil {
		f.land(wire.Result{Outcome: history.Unsent, Reason: "its turn did not come: " + err.Error()})
		return
	}
	f.fly()
}

// board prepares a flight: its request, its place in the history, its wire. On an error the flight has to be landed.
func (s *Stage) board(ctx context.Context, in *Intent, send Send) (*Flight, error) {
	at, err := s.target.instance(send.Replica)
	if err != nil {
		at = s.target.first()
	}
	f := &Flight{stage: s, intent: in, at: at, host: at.name(), url: at.url(), send: send, done: make(chan struct{})}
	f.ctx, f.cancel = context.WithCancelCause(ctx)
	f.send.Label = in.state.label(send.Label)
	f.attempt = &history.Attempt{ID: s.rec.nextAttempt(), Intent: in.ID, Label: f.send.Label, Tenant: f.tenant(), Variant: send.Variant, Replica: at.index, Fault: describe(send), Call: send.Call}
	in.state.took(send)
	s.target.keys.sends(in.Key)
	s.target.actors.acts(in.state.family)
	s.flights.add(f)

	var cannot error
	f.request, cannot = s.Compose(in, send)
	err = errors.Join(err, cannot)
	if f.attempt.Variant == "" {
		f.attempt.Variant = s.variant(in, send)
	}
	// The wire is there in any case, and even when the context has ended: procedures ask it without looking.
	if f.direct() {
		return f, err
	}
	var openErr error
	plan := send.Fault
	if send.HangUp && err == nil {
		plan.HangUpAfter = f.size()
	}
	if f.wire, openErr = s.openWire(context.WithoutCancel(ctx), at, plan, send.GiveUp != nil); openErr != nil {
		err = errors.Join(err, openErr)
	}
	return f, err
}

func (f *Flight) tenant() string {
	if f.send.Tenant != "" {
		return f.send.Tenant
	}
	return f.intent.Tenant
}

// fly dials, sends, and lands.
func (f *Flight) fly() {
	ctx, cancel := context.WithTimeout(f.ctx, f.timeout())
	defer cancel()
	if f.direct() {
		f.flyDirect(ctx)
		return
	}
	conn, err := f.dial(ctx)
	if err != nil {
		f.land(wire.Result{Outcome: history.Unsent, Reason: err.Error()})
		return
	}
	f.land(f.exchange(ctx, conn, 0, nil, nil))
}

// exchange sends the request on a connection, but for what was sent ahead, and reads the answer. The hooks may be nil.
func (f *Flight) exchange(ctx context.Context, conn net.Conn, ahead int, written, began func(time.Time)) wire.Result {
	defer conn.Close()
	if f.send.GiveUp != nil {
		defer context.AfterFunc(closing(f.send.GiveUp, f.done), func() { f.cancel(errGaveUp) })()
	}
	f.attempt.Began = f.stage.target.clock.now()
	bytes, err := f.bytes()
	if err != nil {
		return wire.Result{Outcome: history.Unsent, Reason: err.Error()}
	}
	result := wire.Do(ctx, conn, wire.Exchange{
		Bytes: bytes, Ahead: ahead, Method: f.request.Method, HangUp: f.send.HangUp && !f.wire.Limited(), // where it is taken away, that it was has to be seen
		Limits: wire.Limits{Keep: f.keep()}, Written: written, Began: began,
	})
	f.attempt.Ended = f.stage.target.clock.now()
	f.await(int64(len(bytes)), result)
	return result
}

// keep is how much of the answer is kept: what a history may show, or all that the configuration may name.
func (f *Flight) keep() int64 {
	if f.intent.state.operation.namesAnswer {
		return keptAnswer
	}
	return recordedHead
}

// bytes is the request as it is put on the wire. Keys that are malformed on purpose may hold what ends a header line.
func (f *Flight) bytes() ([]byte, error) {
	host := f.host
	if f.send.KeyFields != nil {
		return wire.RawBytes(f.request, host), nil
	}
	return wire.Bytes(f.request, host)
}

func (f *Flight) timeout() time.Duration {
	if f.send.Timeout > 0 {
		return f.send.Timeout
	}
	return f.stage.target.cfg.Timeouts.Request
}

func (f *Flight) dial(ctx context.Context) (net.Conn, error) {
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", f.wire.Addr)
	if err != nil {
		return nil, fmt.Errorf("connection through the fault link: %w", err)
	}
	return conn, nil
}

// await lets what the client wrote reach the target before the wire is closed: a client that leaves takes nothing back that
// is under way already.
func (f *Flight) await(size int64, r wire.Result) {
	cut := f.send.Fault.CutRequest > 0 && f.send.Fault.CutRequest < size || f.wire.Limited()
	if r.Outcome != history.Lost || cut || f.wire.Proof().DialError != "" {
		return
	}
	limit := time.NewTimer(forwardLimit)
	defer limit.Stop()
	select {
	case <-f.wire.RequestForwarded(r.Wrote):
	case <-limit.C:
	}
}

// land records the outcome.
func (f *Flight) land(r wire.Result) {
	t := f.stage.target
	a := f.attempt
	proof := link.Proof{}
	if f.wire != nil {
		// Where the plan took the answer away the target must not notice: the wire drains it until the trial is over.
		if f.wire.Proof().ResponseCut {
			f.stage.flights.drain(f.wire)
		} else {
			f.wire.Close()
		}
		proof = f.proof()
	}
	if !f.send.Unrecorded {
		a.Request = t.recordRequest(f.url, f.request)
	}
	if a.Began == 0 {
		a.Began = t.clock.now()
	}
	if a.Ended == 0 {
		a.Ended = t.clock.now()
	}
	a.Outcome, a.Reason, a.TimedOut = r.Outcome, t.redact.text(r.Reason), r.TimedOut
	a.Link = history.Link{
		Reached:        proof.Connections > 0 && proof.DialError == "",
		RequestBytes:   proof.RequestForwarded,
		RequestWhole:   proof.RequestForwarded > 0 && (f.stream != nil || proof.RequestForwarded >= f.size()),
		ResponseBytes:  proof.ResponseBytes,
		ForwardedBytes: proof.ResponseForwarded,
		FirstByteAt:    t.clock.at(proof.FirstResponseByte),
		LastRequestAt:  t.clock.at(proof.LastRequestByte),
		Cut:            proof.RequestCut || proof.ResponseCut,
		Held:           proof.ResponseHeld,
	}
	if f.direct() {
		a.Link = f.passed(r)
	}
	known := f.known(&a.Link, proof)
	replaced := len(f.send.Fault.ReplaceResponse) > 0 && proof.ResponseCut
	switch {
	case a.Outcome == history.Lost && !known && proof.RequestForwarded > 0:
		a.Reason += "; whether " + a.Link.Through + " handed anything on is not known"
	case a.Outcome != history.Unsent && !a.Link.Reached:
		a.Outcome, a.Reason = history.Unsent, "the target could not be reached"
		if proof.DialError != "" {
			a.Reason += ": " + t.redact.text(proof.DialError)
		}
	case a.Outcome == history.Lost && a.Link.RequestBytes == 0:
		a.Outcome = history.Unsent
	case a.Outcome == history.Answered && proof.ResponseCut && !replaced:
		// An answer that ends where its connection ends looks whole to the client.
		a.Outcome, a.Reason = history.Lost, "the answer was cut, which its framing does not tell"
	case a.Outcome == history.Answered:
		a.Replaced = replaced
	}
	if r.Answer != nil && a.Outcome != history.Unsent {
		a.Answer = t.recordAnswer(r.Answer)
		f.answer = r.Answer
	}
	f.conclude()
}

// proof is what is known of its connection, or of its part of one.
func (f *Flight) proof() link.Proof {
	if f.stream != nil {
		return f.streamProof()
	}
	return f.wire.Proof()
}

// size is how many bytes the whole request has.
func (f *Flight) size() int64 {
	bytes, err := f.bytes()
	if err != nil {
		return 1 << 62
	}
	return int64(len(bytes))
}

// conclude hands the outcome to all who wait for it.
func (f *Flight) conclude() {
	f.attempt.Idle = f.stage.target.keys.idle(f.intent.Key, f.answer)
	class := f.class()
	known := class.Success() || class == contract.Refused || class == contract.Mismatch ||
		class == contract.Failed || f.attempt.Outcome == history.Unsent
	if t := f.stage.target; t.throttled(f.attempt) {
		t.throttle.slow(http.Header(f.attempt.Answer.Header))
		if f.send.patient && !f.attempt.Link.Cut {
			f.attempt.Label = history.Slowed
		}
	}
	f.intent.state.landed(f, class)
	f.stage.rec.add(history.Event{Attempt: f.attempt})
	f.stage.target.actors.ended(f.intent.state.family, known)
	f.stage.flights.remove(f)
	f.cancel(nil)
	close(f.done)
}

func (f *Flight) class() contract.Class { return f.stage.Class(f.attempt) }

// closing is a context that ends when the channel is closed; done ends the wait for it.
func closing(ch, done <-chan struct{}) context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		select {
		case <-ch:
			cancel()
		case <-done:
		}
	}()
	return ctx
}
