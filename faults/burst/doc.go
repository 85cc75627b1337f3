// Package burst sends duplicates together, and says how many truly were in the air at one time.
//
// All shots are made ready first (connected, above all: a dial costs more than the window that a race needs), then a barrier
// lets them go at once. A [Rung] does more: it holds the target, or what the target depends on, until all requests are there.
// That they were let go together proves nothing: [Overlap] counts from the times at which each request was fully written and
// its answer began.
//
// It does not know what a shot sends, nor what a rung holds.
//
// Start reading at [Fire], then [Rung].
package burst
