package storm

import "slices"

// Shrink makes a schedule that fails smaller, as long as what is left fails as well: fewer calls, intents and clients first, then
// fewer faults, and blows that wait for less and come earlier. It asks at most trials times, and returns the smallest that failed.
func Shrink(s *Schedule, trials int, fails func(*Schedule) bool) *Schedule {
	k := &shrinker{best: s, left: trials, fails: fails}
	for {
		before := k.best.size()
		k.drop(len(k.best.Blows), func(s *Schedule, from, to int) { s.Blows = slices.Delete(s.Blows, from, to) })
		k.drop(len(k.best.Calls), func(s *Schedule, from, to int) { s.Calls = slices.Delete(s.Calls, from, to) })
		k.clients()
		k.faults()
		k.unbook()
		k.earlier()
		if k.left <= 0 || k.best.size() == before {
			return k.best
		}
	}
}

// Unbeaten is the schedule without its blows; nil where it kills nobody.
func (s *Schedule) Unbeaten() *Schedule {
	if !slices.ContainsFunc(s.Blows, func(b Blow) bool { return b.Kind == Kill }) {
		return nil
	}
	calm := s.clone()
	calm.Blows = nil
	return calm
}

// Only is the schedule with no calls but those of the intents, by their numbers; nil where these are none, or all.
func (s *Schedule) Only(intents ...int) *Schedule {
	few := s.clone()
	few.Calls = slices.DeleteFunc(few.Calls, func(c Call) bool { return !slices.Contains(intents, c.Intent) })
	if len(few.Calls) == 0 || len(few.Calls) == len(s.Calls) {
		return nil
	}
	few.renumber()
	return few
}

type shrinker struct {
	best  *Schedule
	left  int
	fails func(*Schedule) bool
}

// size is what shrinking makes less.
func (s *Schedule) size() (n int) {
	for _, c := range s.Calls {
		n += 2
		for _, f := range c.Faults {
			if f.Kind != None {
				n++
			}
		}
	}
	for _, b := range s.Blows {
		n += 1 + b.Booked + min(1, b.Attempt-1)
	}
	return n + s.Clients() + s.Intents()
}

// try takes the candidate where it still fails.
func (k *shrinker) try(change func(*Schedule)) bool {
	if k.left <= 0 {
		return false
	}
	candidate := k.best.clone()
	change(candidate)
	candidate.renumber()
	if candidate.Check() != nil || candidate.size() >= k.best.size() {
		return false
	}
	k.left--
	if !k.fails(candidate) {
		return false
	}
	k.best = candidate
	return true
}

// drop leaves out ever smaller parts of a list.
func (k *shrinker) drop(length int, cut func(s *Schedule, from, to int)) {
	for part := length; part > 0; part /= 2 {
		for from := 0; from < length; {
			to := min(from+part, length)
			if k.try(func(s *Schedule) { cut(s, from, to) }) {
				length -= to - from
				continue
			}
			from = to
		}
	}
}

// clients lets one client make the calls of two.
func (k *shrinker) clients() {
	for c := k.best.Clients(); c > 1; c-- {
		k.try(func(s *Schedule) {
			for i := range s.Calls {
				if s.Calls[i].Client >= c {
					s.Calls[i].Client--
				}
			}
		})
	}
}

// faults takes them away one by one, those that come after others first.
func (k *shrinker) faults() {
	for i := len(k.best.Calls) - 1; i >= 0; i-- {
		for j := len(k.best.Calls[i].Faults) - 1; j >= 0; j-- {
			if k.best.Calls[i].Faults[j].Kind == None {
				continue
			}
			k.try(func(s *Schedule) {
				s.Calls[i].Faults[j] = Fault{Kind: None}
				for n := len(s.Calls[i].Faults); n > 0 && s.Calls[i].Faults[n-1].Kind == None; n-- {
					s.Calls[i].Faults = s.Calls[i].Faults[:n-1]
				}
			})
		}
	}
}

// unbook lets kills hold all calls before they are booked.
func (k *shrinker) unbook() {
	for i, b := range k.best.Blows {
		if b.Booked > 0 {
			k.try(func(s *Schedule) { s.Blows[i].Booked = 0 })
		}
	}
}

// earlier lets blows come with the first attempt, or with the blow before: less has happened by then.
func (k *shrinker) earlier() {
	for i := range k.best.Blows {
		if k.best.Blows[i].Attempt > 1 {
			k.try(func(s *Schedule) {
				s.Blows[i].Attempt = 1
				if i > 0 {
					s.Blows[i].Attempt = s.Blows[i-1].Attempt
				}
			})
		}
	}
}

func (s *Schedule) clone() *Schedule {
	c := *s
	c.Blows = slices.Clone(s.Blows)
	c.Calls = slices.Clone(s.Calls)
	for i := range c.Calls {
		c.Calls[i].Faults = slices.Clone(c.Calls[i].Faults)
	}
	return &c
}

// renumber closes the gaps in the numbers of clients and intents, and moves blows to where attempts still come.
func (s *Schedule) renumber() {
	clients, intents := map[int]int{}, map[int]int{}
	for i := range s.Calls {
		c := &s.Calls[i]
		c.Client, c.Intent = numbered(clients, c.Client), numbered(intents, c.Intent)
	}
	for i := range s.Blows {
		s.Blows[i].Attempt = min(s.Blows[i].Attempt, max(1, len(s.Calls)))
		if s.Blows[i].Held > 0 {
			s.Blows[i].Held = min(s.Blows[i].Held, max(1, len(clients)))
			s.Blows[i].Booked = min(s.Blows[i].Booked, s.Blows[i].Held)
		}
	}
}

func numbered(seen map[int]int, n int) int {
	if seen[n] == 0 {
		seen[n] = len(seen) + 1
	}
	return seen[n]
}
