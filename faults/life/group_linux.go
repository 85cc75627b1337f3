package life

import (
	"errors"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

func dieWithParent(a *syscall.SysProcAttr) { a.Pdeathsig = syscall.SIGKILL }

// awaitEnd waits until the process has ended, and leaves it to be reaped.
func awaitEnd(cmd *exec.Cmd) { waitFor(cmd.Process.Pid, unix.WEXITED) }

// awaitStill waits until the process stands still or has ended.
func awaitStill(pid int) { waitFor(pid, unix.WSTOPPED|unix.WEXITED) }

func waitFor(pid, states int) {
	for errors.Is(unix.Waitid(unix.P_PID, pid, nil, states|unix.WNOWAIT, nil), unix.EINTR) {
	}
}

// anyAlive reports whether a process of the group still runs. One that is dead but not reaped holds nothing any more, and in
// a container may never be reaped.
func anyAlive(group int) bool {
	files, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil || len(files) == 0 {
		return true
	}
	for _, file := range files {
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		if err != nil {
			continue
		}
		fields := statOf(pid) // nil: ended meanwhile
		if len(fields) > 2 && fields[2] == strconv.Itoa(group) && fields[0] != "Z" && fields[0] != "X" {
			return true
		}
	}
	return false
}
