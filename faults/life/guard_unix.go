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

// startGuard returns nil if there is no shell: then only the process itself dies with us.
func startGuard(group int) *guard {
	cmd := exec.Command("/bin/sh", "-c", `trap "" INT TERM HUP; read _; kill -s KILL -- "-$1" || kill -KILL "-$1"`, "sh", strconv.Itoa(group))
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
