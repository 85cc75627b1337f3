// Package life starts, kills, stops and pauses the target, and says how it ended.
//
// A [Process] is a command that this program runs itself, in a process group of its own, so that a kill takes its children
// along and nothing is left running: not when the command ignores SIGTERM, not when it forks, not even when this program is
// killed. A [Container] is an image, also one that is built from nothing but a static program, run by the Docker of this
// machine and killed with SIGKILL; it starts again as the same container, on the same volume, at the same address. What it
// needs carries labels that say which program made it: Close removes it, and where the program was killed, the next start of a
// container does. [Hooks] are shell commands that do the same to a target which somebody else runs, such as a cluster. All are a [Life].
//
// It does not know what the target is for. When it is ready is a function given by the caller.
//
// A command that leaves its process group (a daemon that calls setsid) is out of reach; one that does so on starting is
// reported as ended before it was ready.
//
// Two ways lead to a container. On this machine's network ([Box].Port 0, Linux only) nothing stands between it and its
// callers, it reaches what listens on loopback, and a restart is quickest. In a network of its own one port is published, on
// loopback and always at the same number (or, if [Box].Listens leaves it open, at one of Docker's choice at each start), by a proxy of Docker's that takes connections as soon as the container runs; such a
// container reaches this program at the address that [ReachHost] names.
//
// Start reading at [Life] and [Command], or [Box]; how processes end is in instance.go, how containers do in
// container_stay.go, and what is left over in container_leftovers.go.
package life
