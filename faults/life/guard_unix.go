//go:build unix

package life

import (
	"io"
	"os/exec"
	"strconv"
)

// guard is a shell that kills a process group when this program is gone. The system does so for the process we started (on
// Linux), but not for its children. It waits for a pipe of ours to be closed, which happens whatever ends us.
type guard struct {
	cmd  *exec.Cmd
	pipe io.Closer
}

// guarding kills the group, and then, where other processes' environments can be read, whatever left the group and carries the
// cookie.
const guarding = `trap "" INT TERM HUP; read _; kill -s KILL -- "-$1" || kill -KILL "-$1"
for e in /proc/[0-9]*/environ; do
  if grep -aq "$2" "$e"; then p=${e#/proc/}; kill -s KILL "${p%/environ}"; fi
done 2>/dev/null`

// startGuard returns nil if there is no shell: then only the process itself dies with us, and the next run ends the others.
func startGuard(group int, cookie string) *guard {
	cmd := exec.Command("/bin/sh", "-c", guarding, "sh", strconv.Itoa(group), cookieName+"="+cookie)
	separate(cmd)
	pipe, err := cmd.StdinPipe()
	if err != nil {
		return nil
	}
	if err := cmd.Start(); err != nil {
		return nil
	}
	return &guard{cmd, pipe}
}

// end sends the guard away before it can act.
func (g *guard) end() {
	if g == nil {
		return
	}
	_ = g.cmd.Process.Kill()
	_ = g.cmd.Wait()
	_ = g.pipe.Close()
}
