package life

import (
	"context"
	"fmt"
	"time"
)

// closeLimit bounds the removal of a container and what belongs to it.
const closeLimit = 30 * time.Second

// Log returns the last 64 KiB of what the container has written since it was last started, output and errors together.
func (c *Container) Log() string {
	s := c.latest()
	c.mu.Lock()
	closed, last := c.closed, c.last
	c.mu.Unlock()
	if closed || s == nil {
		return last
	}
	return s.log()
}

// Close kills the container if it runs, and removes it, its volume, and the image that was built for it. Start fails from then
// on.
func (c *Container) Close() error {
	c.mu.Lock()
	closed := c.closed
	c.closed = true
	c.mu.Unlock()
	c.shut()
	c.making.Lock() // what is being made is made, or given up
	defer c.making.Unlock()
	defer c.forget()
	if closed || c.docker == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), closeLimit)
	defer cancel()
	defer c.docker.close()
	s := c.latest()
	if s != nil {
		c.keepLog(ctx, s)
	}
	looks := 1
	if c.cut.Load() { // Docker may be at it still
		looks = looksForGood
	}
	err := c.docker.removeAll(ctx, labelName+"="+c.name, looks)
	if s != nil {
		c.forget()
		<-s.ended
	}
	if err != nil {
		return fmt.Errorf("removing the %s: %w", c.image, err)
	}
	c.noted.End()
	return nil
}

// keepLog ends a container, after which its output is whole, and keeps the end of that.
func (c *Container) keepLog(ctx context.Context, s *stay) {
	_ = s.signal(ctx, "SIGKILL")
	select {
	case <-s.ended:
	case <-ctx.Done():
	}
	last := s.log()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.last = last
}
