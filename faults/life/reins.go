package life

// Reins stop a target and let it go on again and again, in steps too short for anything to be looked for in between.
type Reins struct{ i *instance }

// TakeReins is for a process of this program's that stands still, paused, with all that it has started in its group: what left that
// could not be stopped as fast. False: it is none.
func TakeReins(l Life) (r *Reins, can bool) {
	p, is := l.(*Process)
	if !is || !ProcessVerbs.Has(CanPause|CanResume) {
		return nil, false
	}
	i := p.latest()
	if i == nil || i.over() {
		return nil, false
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	return &Reins{i}, len(i.left) == 0
}

// Stop returns once it stands still.
func (r *Reins) Stop() error {
	if err := r.i.signal(pauseGroup); err != nil {
		return err
	}
	awaitStill(r.i.pid)
	return nil
}

// Go lets it go on.
func (r *Reins) Go() error { return r.i.signal(resumeGroup) }
