// Package linear explains what the callers of one key were told, and what is there in the end, by the reference model: whether
// there is an order of the attempts, each at one moment between its sending and its answer, in which package reference would
// have answered the same and left as many effects. The search is porcupine's.
//
// Histories are taken apart by key, which is what makes the search cheap: it grows exponentially with what happened at once
// under one key, and linearly with the number of keys. A lost attempt may have been carried out at any later time, or never;
// of several with one payload only the earliest is looked at, since whatever the others did it can have done. Where a key has
// too many attempts, or the search takes too many steps, nobody can tell; the bound is in steps and not in time, so that the
// same history always gives the same answer.
//
// The package is pure. It must not know how attempts were sent or broken. It stands beside the invariants of package rule,
// which do not call the model. Start reading at Explain, then step.
package linear
