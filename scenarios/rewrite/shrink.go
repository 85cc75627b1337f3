package rewrite

import (
	"slices"
	"strconv"
)

// Shrink makes a failing trial smaller and keeps it failing. It works on the trial's changes instead of on the random bits
// behind them: first no change at all, then ever fewer, then smaller values. This takes few requests, and each pair is tried
// once only. An error of fails ends it early; the smallest trial so far is returned with it.
func Shrink(s *Sample, t Trial, fails func(Pair, Trial) (bool, error)) (Trial, error) {
	k := &shrinker{s: s, best: t, fails: fails, seen: map[string]bool{}}
	k.withoutChanges()
	k.fewerChanges()
	k.otherPlaces()
	k.smallerValues()
	k.offer(Trial{k.best.Rewrite, k.best.Changes, k.best.Site, 0})
	return k.best, k.err
}

type shrinker struct {
	s     *Sample
	best  Trial
	fails func(Pair, Trial) (bool, error)
	seen  map[string]bool // verdicts by the bytes of both requests
	err   error
}

// offer takes a trial as the new best if it fails too.
func (k *shrinker) offer(t Trial) bool {
	if k.err != nil {
		return false
	}
	pair, ok := k.s.Pair(t)
	if !ok {
		return false
	}
	id := pair.A.id() + pair.B.id()
	failed, known := k.seen[id]
	if !known {
		if failed, k.err = k.fails(pair, t); k.err != nil {
			return false
		}
		k.seen[id] = failed
	}
	if failed {
		k.best = t
	}
	return failed
}

// id is the request as a map key.
func (r Request) id() string {
	out := r.Method + " " + r.Target() + "\n" + string(r.framing()) + " " + string(r.protocol()) + "\n"
	for _, f := range r.Header {
		out += f.Name + ":" + f.Value + "\n"
	}
	return out + strconv.Itoa(len(r.Body)) + "\n" + string(r.Body)
}

// withoutChanges tries the rewrite on the sample itself, at its likeliest place, at the failing one, and at a few others.
func (k *shrinker) withoutChanges() {
	if len(k.best.Changes) == 0 {
		return
	}
	rewrite, known := Find(k.best.Rewrite)
	if !known {
		return
	}
	sites := rewrite.Sites(k.s)
	sites = slices.Insert(sites, min(1, len(sites)), k.best.Site)
	for _, site := range sites[:min(len(sites), 4)] {
		if k.offer(Trial{k.best.Rewrite, nil, site, k.best.Choice}) {
			return
		}
	}
}

// fewerChanges leaves out halves, then quarters, then single changes, for as long as that works.
func (k *shrinker) fewerChanges() {
	for part := (len(k.best.Changes) + 1) / 2; part > 0 && k.err == nil; {
		dropped := false
		for from := 0; from < len(k.best.Changes); {
			to := min(from+part, len(k.best.Changes))
			rest := append(append([]Change{}, k.best.Changes[:from]...), k.best.Changes[to:]...)
			if k.offer(Trial{k.best.Rewrite, rest, k.best.Site, k.best.Choice}) {
				dropped = true
			} else {
				from = to
			}
		}
		if !dropped || part > 1 {
			part /= 2
		}
	}
}

// otherPlaces leaves out a change that only makes the place where the rewrite acts, where another place does without it.
func (k *shrinker) otherPlaces() {
	rewrite, known := Find(k.best.Rewrite)
	for i := 0; known && i < len(k.best.Changes) && k.err == nil; {
		rest := append(append([]Change{}, k.best.Changes[:i]...), k.best.Changes[i+1:]...)
		dropped := false
		if changed, err := k.s.With(rest...); err == nil {
			sites := rewrite.Sites(changed)
			for _, site := range sites[:min(len(sites), 2)] {
				if dropped = k.offer(Trial{k.best.Rewrite, rest, site, 0}); dropped {
					break
				}
			}
		}
		if !dropped {
			i++
		}
	}
}

// smallerValues takes the failing place out of what it is nested in, and members and items out of the values that are left.
func (k *shrinker) smallerValues() {
	for i := 0; i < len(k.best.Changes) && k.err == nil; {
		if !k.smallerValue(i) {
			i++
		}
	}
}

func (k *shrinker) smallerValue(i int) bool {
	now := k.best.Changes[i]
	if now.At == "" || now.At[0] == '?' {
		return false
	}
	value, err := Parse([]byte(now.Value))
	if err != nil {
		return false
	}
	if k.lessNested(i, value) {
		return true
	}
	done := false
	value.walk(func(p place) {
		if done || p.parent == nil {
			return
		}
		smaller := value.Clone()
		above, ok := smaller.At(p.at[:len(p.at)-1])
		if !ok || p.index >= len(above.Items)+len(above.Members) {
			return
		}
		above.remove(p.index)
		changes := append([]Change{}, k.best.Changes...)
		changes[i].Value = smaller.String()
		done = k.offer(Trial{k.best.Rewrite, changes, k.best.Site, k.best.Choice})
	})
	return done
}

// lessNested puts the part of a value that holds the failing place where the whole value was.
func (k *shrinker) lessNested(i int, value *Node) bool {
	top, errTop := ParsePointer(k.best.Changes[i].At)
	site, errSite := ParsePointer(k.best.Site.At)
	if errTop != nil || errSite != nil || len(site) <= len(top) || !site.within(top) {
		return false
	}
	part, ok := value.At(site[len(top) : len(top)+1])
	if !ok {
		return false
	}
	changes := append([]Change{}, k.best.Changes...)
	changes[i].Value = part.String()
	moved := k.best.Site
	moved.At = top.join(site[len(top)+1:]).String()
	return k.offer(Trial{k.best.Rewrite, changes, moved, k.best.Choice})
}
