package life

// Reins stop a target and let it go on again and again, in steps too short to look for processes in between.
type Reins struct{ i *instance }

// TakeReins works for a process that this program started and paused, with all that it started in its group; processes that
// left the group could not be stopped fast enough. can is false for every other life.
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
