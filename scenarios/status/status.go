package status

import (
	"context"
	"time"

	"github.com/oncespec/oncespec/scenarios/catalogue"
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/rule"
	"github.com/oncespec/oncespec/scenarios/target"
)

// Scenarios of the pack, in reading order.
func Scenarios() []target.Scenario {
	read := []catalogue.Need{catalogue.NeedStatus, catalogue.NeedKeyHeader}
	gate := append(read[:len(read):len(read)], catalogue.NeedGate)
	return []target.Scenario{
		{ID: "status/by-key", Sentence: "Drops the response, then looks for the operation by its key.", Needs: read, Run: byKey},
		{ID: "status/in-progress", Sentence: "Reads the status while the downstream call is held.", Needs: gate, Run: inProgress},
		{ID: "status/final", Sentence: "Reads the status of completed and of refused operations, twice.", Needs: read, Run: final},
		{ID: "status/unknown", Sentence: "Reads the status when the downstream call was booked and its answer lost.", Needs: gate, Run: unknown},
		{ID: "status/authorised", Sentence: "Reads the status as its owner and as somebody else.",
			Needs: append(read[:len(read):len(read)], catalogue.NeedTenants), Run: authorised},
	}
}

// Rules of the pack by requirement.
func Rules() map[string]rule.Rule {
	return map[string]rule.Rule{
		"status/by-key":      rule.Each(byKeyRule),
		"status/in-progress": rule.Each(inProgressRule),
		"status/final":       rule.Each(finalRule),
		"status/unknown":     rule.Each(unknownRule),
		"status/authorised":  rule.Each(authorisedRule),
		"status/monotonic":   monotonicRule,
	}
}

// settled reads the status until it is something else than in progress, for as long as a target may take to recover.
func settled(ctx context.Context, s *target.Stage, in *target.Intent, moment string) {
	ctx, cancel := context.WithTimeout(ctx, s.Config().Timeouts.Recovery)
	defer cancel()
	for pause := 10 * time.Millisecond; ; pause = min(2*pause, time.Second) {
		if now := s.Status(ctx, in, moment); now == nil || now.State != history.InProgress {
			return
		}
		if !target.Pause(ctx, pause) {
			return
		}
	}
}
