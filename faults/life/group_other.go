//go:build !unix

package life

import (
	"os"
	"os/exec"
)

// Without process groups a kill reaches the command itself, and nothing can be frozen.
const freezing Verbs = 0

type guard struct{}

func startGuard(int, string) *guard { return nil }

func (*guard) end() {}

func leadGroup(*exec.Cmd) {}

func separate(*exec.Cmd) {}

func killGroup(pid int) error {
	process, err := os.FindProcess(pid)
	if err != nil {
		return err
	}
	return process.Kill()
}

func terminateGroup(pid int) error { return killGroup(pid) }

func pauseGroup(int) error { return ErrCannot }

func resumeGroup(int) error { return ErrCannot }

func awaitEnd(cmd *exec.Cmd) { _ = cmd.Wait() }

func awaitStill(int) {}

func awaitGroupGone(int) {}

func endedBy(*os.ProcessState) string { return "" }
