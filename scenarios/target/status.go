package target

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"

	"github.com/theory/jsonpath"

	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/target/config"
	"github.com/oncespec/oncespec/scenarios/target/wire"
)

// statusProbe reads the status resource of an operation.
type statusProbe struct {
	form  *form
	state *jsonpath.Path
	words map[string]string // the target's → ours
}

func newStatusProbe(c *config.StatusProbe) (*statusProbe, error) {
	p := &statusProbe{words: map[string]string{}}
	var err error
	if p.form, err = newForm(config.Request{Method: http.MethodGet, Path: c.Get}); err != nil {
		return nil, fmt.Errorf("status: %w", err)
	}
	if p.state, err = jsonpath.Parse(c.State); err != nil {
		return nil, fmt.Errorf("status.state %s: %w", c.State, err)
	}
	if c.Reference != "" {
		if _, err := jsonpath.Parse(c.Reference); err != nil {
			return nil, fmt.Errorf("status.reference %s: %w", c.Reference, err)
		}
	}
	for _, state := range []string{history.InProgress, history.Succeeded, history.Failed, history.UnknownDone} {
		words, named := c.States[state]
		if !named && len(c.States) == 0 {
			words = []string{state}
		}
		for _, w := range words {
			p.words[w] = state
		}
	}
	return p, nil
}

// Status reads the status resource as the intent's caller; nil without one.
func (s *Stage) Status(ctx context.Context, in *Intent, moment string) *history.Status {
	return s.StatusAs(ctx, in, moment, in.Tenant)
}

// StatusAs reads it as another tenant.
func (s *Stage) StatusAs(ctx context.Context, in *Intent, moment, tenant string) *history.Status {
	st := s.readStatus(ctx, in, moment, tenant)
	if st != nil {
		s.rec.add(history.Event{Status: st})
	}
	return st
}

// readStatus reads without recording.
func (s *Stage) readStatus(ctx context.Context, in *Intent, moment, tenant string) *history.Status {
	p := in.state.kit.status
	if p == nil {
		return nil
	}
	t := s.target
	record := &history.Status{Intent: in.ID, Moment: moment, Tenant: tenant}
	request, err := p.form.fill(in.filled())
	var answer *wire.Answer
	if err == nil {
		credential(&request, t.cfg.Target.Tenants[tenant], Own)
		answer, err = t.call(ctx, request)
	}
	if err != nil {
		record.Error = t.redact.text(fmt.Sprintf("GET %s: %v", t.redact.target(request.Target()), err))
		return record
	}
	record.HTTP, record.Answer = answer.Status, t.recordAnswer(answer)
	switch {
	case answer.Status == http.StatusNotFound || answer.Status == http.StatusGone:
		record.State = history.Absent
	case answer.Status >= 200 && answer.Status < 300:
		record.Raw, err = p.word(answer)
		if err != nil {
			record.Error = t.redact.text(err.Error())
		}
		record.State = p.words[record.Raw]
	}
	return record
}

// word is the state as the target spells it.
func (p *statusProbe) word(answer *wire.Answer) (string, error) {
	var doc any
	if err := json.Unmarshal(answer.Body, &doc); err != nil {
		return "", fmt.Errorf("the status resource answers %d with what is not JSON: %w", answer.Status, err)
	}
	nodes := p.state.Select(doc)
	if len(nodes) == 0 {
		return "", fmt.Errorf("the status resource shows nothing at %s", p.state)
	}
	switch v := nodes[0].(type) {
	case string:
		return v, nil
	case bool:
		return strconv.FormatBool(v), nil
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64), nil
	}
	return "", fmt.Errorf("the status resource shows no word at %s", p.state)
}
