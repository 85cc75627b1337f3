package life

import (
	"context"
	"fmt"
	"sync"
)

// ResumeAll lets several lives go on at one moment, as near as can be: what came to them while they stood still has to meet,
// and a few milliseconds are enough for one of them to have done all of its work. Processes are signalled one right after the
// other, with nothing looked for or waited for in between; all others are told at the same time. The errors are in the order
// of the lives.
func ResumeAll(ctx context.Context, all []Life) []error {
	errs := make([]error, len(all))
	var others sync.WaitGroup
	var signals []func()
	for n, one := range all {
		p, is := one.(*Process)
		if !is {
			continue
		}
		i := p.latest()
		if i == nil || i.over() {
			errs[n] = fmt.Errorf("resume %s: %w", p.command.Argv[0], ErrNotRunning)
			continue
		}
		signals = append(signals, func() {
			if err := i.signal(resumeGroup); err != nil {
				errs[n] = fmt.Errorf("resume %s: %w", p.command.Argv[0], err)
				return
			}
			i.wakeLeft()
		})
	}
	for n, one := range all {
		if _, is := one.(*Process); !is {
			others.Go(func() { errs[n] = one.Resume(ctx) })
		}
	}
	for _, signal := range signals {
		signal()
	}
	others.Wait()
	return errs
}
