package target

import (
	"sync"
	"time"
)

// family is an intent with its twins. Probes that cannot tell intents apart (a global number, a list without markers) see all
// of them together, and mean something only while no other family may be acting.
type family struct {
	baselined bool // a "before" reading was taken
	sent      bool
	open      int  // attempts in the air
	doubtful  bool // an outcome is not known: it may still act
	alien     bool // another family acted, or may have, since the baseline
	altered   bool // its resource was changed on purpose
}

func (f *family) unsettled() bool { return f.open > 0 || f.doubtful }

// actors knows who may be acting on the target.
type actors struct {
	mu       sync.Mutex
	families []*family
	last     time.Time     // when an attempt ended
	longest  time.Duration // that an effect seen by a shared probe was waited for
}

// enter registers a family and tells whether it is alone: no other may be acting. It stays so until another one acts.
func (c *actors) enter(f *family) (alone bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, other := range c.families {
		if other != f && other.unsettled() {
			f.alien = true
		}
	}
	c.families = append(c.families, f)
	return !f.alien
}

// acts notes that the family sends: everybody else's readings mean nothing from here on.
func (c *actors) acts(f *family) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f.sent = true
	f.open++
	kept := c.families[:0]
	for _, other := range c.families {
		if other != f {
			other.alien = true
		}
		if other == f || other.unsettled() {
			kept = append(kept, other)
		}
	}
	clear(c.families[len(kept):])
	c.families = kept
}

// ended notes that an attempt of the family ended. A known outcome settles what went before it.
func (c *actors) ended(f *family, known bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f.open--
	c.last = time.Now()
	f.doubtful = !known
}

// came notes that a probe that sees all families together showed an effect only some time after it was looked for first.
func (c *actors) came(after time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.longest = max(c.longest, after)
}

// late is when the last attempt ended, and how long effects were seen to take after that; 0: none had to be waited for.
func (c *actors) late() (last time.Time, longest time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.last, c.longest
}

// alter notes that the family's resource was changed on purpose.
func (c *actors) alter(f *family) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f.altered = true
}

// alone tells whether a shared probe still speaks of the family only.
func (c *actors) alone(f *family) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return f.baselined && !f.alien
}

// baselined notes that the family has a reading from before.
func (c *actors) baselined(f *family) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f.baselined = !f.alien
}

// spoken tells whether shared probes have something to say of the family: it has sent, and no other family has acted.
func (c *actors) spoken(f *family) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return f.sent && f.baselined && !f.alien
}

// isAltered tells whether the family's resource was changed on purpose.
func (c *actors) isAltered(f *family) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return f.altered
}

// unsettled tells whether anybody may still be acting.
func (c *actors) unsettled() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, f := range c.families {
		if f.unsettled() {
			return true
		}
	}
	return false
}

// disperse forgets everybody: all is quiet.
func (c *actors) disperse() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, f := range c.families {
		f.alien = true // what comes next must not be counted as its effect
	}
	clear(c.families)
	c.families = nil
}
