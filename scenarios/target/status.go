package target

import (
	"context"

	"github.com/oncespec/oncespec/scenarios/history"
)

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
	if in.state.operation.status == nil {
		return nil
	}
	t := s.target
	t.unpaced()
	ctx, cancel := context.WithTimeout(ctx, t.cfg.Timeouts.Request)
	defer cancel()
	state, err := in.state.operation.status.Read(ctx, t.source(), t.subject(in, tenant))
	record := &history.Status{Intent: in.ID, Moment: moment, Tenant: tenant, State: state.Name, Raw: t.redact.text(state.Word)}
	if state.Answer != nil {
		record.HTTP, record.Answer = state.Answer.Status, t.recordAnswer(state.Answer)
	}
	if err != nil {
		record.Error = t.redact.text(err.Error())
	}
	return record
}
