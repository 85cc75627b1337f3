// Package life starts, kills, stops and pauses the target, and says how it ended.
//
// A [Process] is a command that this program runs itself, in a process group of its own, so that a kill takes its children
// along and nothing is left running: not when the command ignores SIGTERM, not when it forks, not even when this program is
// killed. A [Container] is an image, also one that is built from nothing but a static program, run by the Docker of this
// machine and killed with SIGKILL; it starts again as the same container, on the same volume, at the same address. What it
// needs carries labels that say which program made it. [Hooks] are shell commands that do the same to a target which somebody
// else runs, such as a cluster. All are a [Life].
//
// Whatever is started, or paused, is written into the journal before. Close ends it and says so there; where this program was
// killed, the next one does, by the [Enders].
//
// It does not know what the target is for. When it is ready is a function given by the caller.
//
// A command whose children leave its process group (a daemon that calls setsid) is killed, stopped and paused as a whole all
// the same, on Linux: they are known by a cookie in their environment. One that throws that away, too, is out of reach: a
// program could only adopt it by adopting all orphans, those of whoever imports this package and what a hook leaves in the
// background among them, and could not tell whose they are. A command that ends on starting and leaves a daemon behind is
// reported as ended before it was ready, and the daemon is killed.
//
// Two ways lead to a container. On this machine's network ([Box].Port 0, Linux only) nothing stands between it and its
// callers, it reaches what listens on loopback, and a restart is quickest. In a network of its own one port is published on
// loopback, by a proxy of Docker's that takes connections as soon as the container runs: always at the same number, or, where
// [Box].Listens leaves it open, at one of Docker's choice at each start, which [Container.Addr] tells. Such a container
// reaches this program at the address that [ReachHost] names.
//
// Start reading at [Life] and [Command], or [Box]; how processes end is in instance.go and carriers_linux.go, how containers
// do in container_stay.go, and what is left over in leftovers.go and container_leftovers.go.
package life
