// Package run goes from a configuration to verdicts: it plans, executes scenarios one after another, waits for quiet, counts
// again, stores, and judges what was stored.
//
// It must not know Ginkgo, reports or terminals: the suite, the command and plain tests drive it alike. Start reading at
// Plan, then Run.Step, then Judge.
package run
