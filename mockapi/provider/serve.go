package provider

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/oncespec/oncespec/faults/valve"
)

// noRoute stands for the gate's own behaviour where no route is configured.
const noRoute = -1

// answer is what the caller gets.
type answer struct {
	status int
	header map[string]string
	body   string
}

type booking struct {
	id      string
	answer  answer
	payload digest
}

// errLost ends a call whose connection is closed without an answer; errGone one whose caller is not there any more.
var (
	errLost = errors.New("lost on purpose")
	errGone = errors.New("caller gone")
)

// ServeHTTP takes one call.
func (g *Gate) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !g.enter() {
		panic(http.ErrAbortHandler) // closes the connection without an answer
	}
	defer g.leave()

	call, readErr := g.read(w, r)
	g.ledger.add(call)
	watch := context.AfterFunc(r.Context(), func() {
		g.ledger.update(call, func(c *Call) { c.CallerGone = c.CallerGone || !c.Ended })
	})
	defer watch()

	reply, err := g.decide(r, call, readErr)
	g.ledger.update(call, func(c *Call) {
		c.Ended = true
		c.Lost = errors.Is(err, errLost)
		c.CallerGone = c.CallerGone || errors.Is(err, errGone)
		if err == nil {
			c.Status = reply.status
		}
	})
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	write(w, reply)
}

// decide takes a call through its stages. An error closes the connection without an answer.
func (g *Gate) decide(r *http.Request, call *Call, readErr *refusal) (answer, error) {
	if readErr != nil {
		return g.refuse(call, readErr)
	}
	segments := split(r.URL)
	route, index, params := Route{}, noRoute, map[string]string(nil)
	for i, candidate := range g.options.Routes {
		if found, ok := candidate.fits(r.Method, segments); ok {
			route, index, params = candidate, i, found
			break
		}
	}
	reads := r.Method == http.MethodGet || r.Method == http.MethodHead
	switch _, keyed := params["key"]; {
	case reads && (index == noRoute || keyed):
		return g.lookup(call, g.lookupKey(r, segments, params))
	case index == noRoute && len(g.options.Routes) > 0:
		return g.refuse(call, &refusal{http.StatusNotFound, fmt.Sprintf("no route for %s %s", r.Method, call.Path)})
	case reads || route.NoBooking:
		return render(route, http.StatusOK, fields{key: call.Key, body: call.Body, path: params}), nil
	}
	return g.write(r, call, index, func(id string) answer {
		return render(route, http.StatusCreated, fields{id, call.Key, call.Body, params})
	})
}

// write is the life of a call that books.
func (g *Gate) write(r *http.Request, call *Call, route int, fill func(id string) answer) (answer, error) {
	if i := g.failing.take(g.ledger.snapshot(call)); i != nil {
		return problem(i.status, "failed on purpose"), nil
	}
	switch o := g.pass(&g.before, call); o.Fate {
	case valve.Failed:
		return problem(sane(o.Code), "failed on purpose"), nil
	case valve.Dropped, valve.Closed, valve.Left:
		return answer{}, errLost
	case valve.Released:
		if gone(r.Context()) {
			return answer{}, errGone
		}
	}
	b := g.ledger.book(call, route, fill)
	if b == nil {
		return problem(http.StatusUnprocessableEntity, anotherPayload), nil
	}
	if g.losing.take(g.ledger.snapshot(call)) != nil {
		return answer{}, errLost
	}
	switch o := g.pass(&g.after, call); o.Fate {
	case valve.Failed:
		return problem(sane(o.Code), "failed on purpose"), nil
	case valve.Dropped, valve.Closed, valve.Left:
		return answer{}, errLost
	}
	return b.answer, nil
}

// pass takes a call through a valve. It is the gate's life that bounds a hold, not the caller's: what becomes of a call whose
// caller has died is for the one who holds it to say.
func (g *Gate) pass(v *valve.Valve[Call], call *Call) valve.Outcome {
	o := v.Pass(g.ctx, g.ledger.snapshot(call))
	if o.Fate != valve.Through {
		g.ledger.update(call, func(c *Call) { c.Held = true })
	}
	return o
}

func (g *Gate) lookup(call *Call, key string) (answer, error) {
	snapshot := g.ledger.update(call, func(c *Call) { c.Lookup, c.Key = true, key })
	if i := g.lookups.take(snapshot); i != nil {
		if i.status == 0 {
			return answer{}, errLost
		}
		return problem(i.status, "failed on purpose"), nil
	}
	b := g.ledger.lookup(key)
	if b == nil {
		return problem(http.StatusNotFound, "nothing was booked under this key"), nil
	}
	g.ledger.update(call, func(c *Call) { c.BookingID = b.id })
	found := b.answer
	found.status = http.StatusOK
	return found, nil
}

func (g *Gate) lookupKey(r *http.Request, segments []string, params map[string]string) string {
	if key, ok := params["key"]; ok {
		return unquote(key)
	}
	if name := g.options.Key.Query; name != "" && r.URL.Query().Has(name) {
		return r.URL.Query().Get(name)
	}
	for i := len(segments) - 1; i >= 0; i-- {
		if segments[i] != "" {
			return unquote(segments[i])
		}
	}
	return ""
}

// split cuts a path into its segments before it decodes them, so that a key may hold an escaped slash.
func split(u *url.URL) []string {
	segments := strings.Split(u.EscapedPath(), "/")
	for i, s := range segments {
		if decoded, err := url.PathUnescape(s); err == nil {
			segments[i] = decoded
		}
	}
	return segments
}

// refusal is why the gate will not take a call.
type refusal struct {
	status int
	why    string
}

func (g *Gate) refuse(call *Call, r *refusal) (answer, error) {
	g.ledger.update(call, func(c *Call) { c.Refused = r.why })
	return problem(r.status, r.why), nil
}

// read takes in the request, within bounds.
func (g *Gate) read(w http.ResponseWriter, r *http.Request) (*Call, *refusal) {
	call := &Call{Method: r.Method, Path: r.URL.Path, Query: r.URL.RawQuery, Header: r.Header.Clone()}
	// A deadline that stood any longer would end a hold: the server reads on to notice a caller that leaves.
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Now().Add(bodyLimit))
	body := http.MaxBytesReader(w, r.Body, acceptedBody)
	recorded, err := io.ReadAll(io.LimitReader(body, recordedBody))
	rest := int64(0)
	if err == nil {
		rest, err = io.Copy(io.Discard, body)
	}
	if err == nil {
		_ = control.SetReadDeadline(time.Time{})
	}
	call.At = time.Now()
	call.Body, call.BodyBytes = recorded, int64(len(recorded))+rest

	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return call, &refusal{http.StatusRequestEntityTooLarge, fmt.Sprintf("body larger than %d bytes", int64(acceptedBody))}
	case err != nil:
		return call, &refusal{http.StatusBadRequest, "body did not arrive whole: " + err.Error()}
	case rest > 0 && g.options.Key.Body != "":
		return call, &refusal{http.StatusRequestEntityTooLarge, fmt.Sprintf("body with the downstream key in it larger than %d bytes", recordedBody)}
	}
	call.Key = g.options.Key.find(r.Header, r.URL.Query(), recorded)
	return call, nil
}

// render fills in a route's answer; the zero route has the gate's own.
func render(route Route, status int, f fields) answer {
	a := answer{status: route.Status, body: route.Body, header: map[string]string{}}
	if a.status == 0 {
		a.status = status
	}
	if a.body == "" && f.id != "" {
		a.body = `{"id":"{id}","key":"{key}"}`
	}
	if a.body != "" {
		a.header["Content-Type"] = "application/json"
	}
	for name, value := range route.Headers {
		a.header[http.CanonicalHeaderKey(name)] = f.fill(value, false)
	}
	a.body = f.fill(a.body, strings.Contains(a.header["Content-Type"], "json"))
	return a
}

func problem(status int, why string) answer {
	body, _ := json.Marshal(map[string]any{"title": why, "status": status}) // cannot fail
	return answer{status, map[string]string{"Content-Type": "application/problem+json"}, string(body)}
}

func write(w http.ResponseWriter, a answer) {
	for name, value := range a.header {
		w.Header().Set(name, value)
	}
	w.WriteHeader(a.status)
	if a.status != http.StatusNoContent && a.status != http.StatusNotModified {
		_, _ = io.WriteString(w, a.body) // a caller that has gone is seen by its connection
	}
}
