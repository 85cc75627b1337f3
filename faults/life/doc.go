// Package life starts, kills, stops and pauses the target, and says how it ended.
//
// A [Process] is a command that this program runs itself, in a process group of its own, so that a kill takes its children
// along and nothing is left running: not when the command ignores SIGTERM, not when it forks, not even when this program is
// killed. [Hooks] are shell commands that do the same to a target which somebody else runs, such as a cluster. Both are a [Life].
//
// It does not know what the target is for. When it is ready is a function given by the caller.
//
// A command that leaves its process group (a daemon that calls setsid) is out of reach; one that does so on starting is
// reported as ended before it was ready.
//
// Start reading at [Life] and [Command]; how processes end is in instance.go.
package life
