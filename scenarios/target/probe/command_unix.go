//go:build unix

package probe

import (
	"os/exec"
	"syscall"
)

// together ends a command with all that it started.
func together(run *exec.Cmd) {
	run.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	run.Cancel = func() error { return syscall.Kill(-run.Process.Pid, syscall.SIGKILL) }
}
