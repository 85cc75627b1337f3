// Package storm is the plan of a storm as data: which client makes which call for which intent, what happens to the connection
// of each attempt, and when the target is killed or paused. It draws such schedules from a seed, reads and checks them, and
// makes one that fails smaller.
//
// A schedule says what the harness does, not what the operating system makes of it: played again it acts the same, and the
// target may still run in another order. The package does no I/O; it must not know how a storm is played or judged. Start reading
// at Schedule, then Draw and Shrink.
package storm
