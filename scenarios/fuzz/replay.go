package fuzz

import (
	"context"
	"slices"

	"github.com/oncespec/oncespec/scenarios/fingerprint"
	"github.com/oncespec/oncespec/scenarios/rewrite"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

// replayCorpus tries the cases that earlier searches found, before anything else.
func (h *hunter) replayCorpus(ctx context.Context) error {
	for _, c := range h.corpus {
		if c.Operation != h.op.Name || !slices.ContainsFunc(h.rows, func(r rewrite.Rewrite) bool { return r.ID == c.Trial.Rewrite }) {
			continue
		}
		if h.up() {
			h.report.Corpus = append(h.report.Corpus, Replayed{File: c.File, Rewrite: c.Trial.Rewrite, Verdict: verdict.Inconclusive, Detail: tooLate})
			continue
		}
		j, err := h.replay(ctx, c)
		if err != nil || ctx.Err() != nil {
			return err
		}
		out := Replayed{File: c.File, Rewrite: c.Trial.Rewrite, Verdict: j.verdict, Detail: j.detail}
		switch {
		case j.history == nil:
			out.Verdict, out.Detail = verdict.NotAssessed, "the case does not fit the operation's request any more; remove the file, or mend the sample"
		case j.failed():
			h.count(1)
			h.keep(j).Case = c.File
		default:
			h.count(1)
		}
		h.report.Corpus = append(h.report.Corpus, out)
		h.tell("corpus")
	}
	return nil
}

// replay tries one case, in the way in which its kind was found.
func (h *hunter) replay(ctx context.Context, c Case) (judged, error) {
	shape := h.shape()
	if c.Kind == fingerprint.Overwritten {
		return h.original(ctx, c.Trial)
	}
	j, err := h.pair(ctx, shape, c.Trial)
	if err != nil || j.failed() || j.history == nil || c.Kind != fingerprint.DoubleExecution {
		return j, err
	}
	shape.Settle = h.o.Config.Timeouts.Settle // it may have been seen late only
	return h.pair(ctx, shape, c.Trial)
}
