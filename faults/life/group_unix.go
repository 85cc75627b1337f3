//go:build unix

package life

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

const freezing = CanPause | CanResume

func leadGroup(cmd *exec.Cmd) {
	separate(cmd)
	dieWithParent(cmd.SysProcAttr)
}

// separate gives a command a process group, without tying its life to ours.
func separate(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

func killGroup(pid int) error { return syscall.Kill(-pid, syscall.SIGKILL) }

func pauseGroup(pid int) error { return syscall.Kill(-pid, syscall.SIGSTOP) }

func resumeGroup(pid int) error { return syscall.Kill(-pid, syscall.SIGCONT) }

// terminateGroup also wakes the group: one that is paused would never see the request.
func terminateGroup(pid int) error {
	return errors.Join(syscall.Kill(-pid, syscall.SIGTERM), syscall.Kill(-pid, syscall.SIGCONT))
}

// awaitGroupGone waits a moment until killed children have let go of what they held, such as ports.
func awaitGroupGone(pid int) {
	for end := time.Now().Add(groupLimit); time.Now().Before(end); time.Sleep(firstPause) {
		if errors.Is(syscall.Kill(-pid, 0), syscall.ESRCH) || !anyAlive(pid) {
			return
		}
	}
}

func endedBy(state *os.ProcessState) string {
	status, ok := state.Sys().(syscall.WaitStatus)
	if !ok || !status.Signaled() {
		return ""
	}
	return unix.SignalName(status.Signal())
}
