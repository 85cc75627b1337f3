package life

import (
	"io"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"time"
)

const (
	// outputLimit is how long the output of a process that has ended is read: a child that escaped may keep it open.
	outputLimit = 300 * time.Millisecond
	// groupLimit is how long killed children may take to be gone.
	groupLimit = 300 * time.Millisecond
)

// instance is one run of a command: a process and the group it leads.
type instance struct {
	pid    int
	cookie cookie
	log    *ring
	exited chan struct{} // closed when the process has ended, its group is killed and its output read
	exit   Exit          // set before exited is closed

	mu   sync.Mutex // orders signals before the process is reaped: its number may be another's afterwards
	gone bool
	left []carrier // have left its group, and stand still with it
}

// start starts the command in a process group of its own.
func start(c Command, cookie cookie) (*instance, error) {
	read, write, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(c.Argv[0], c.Argv[1:]...)
	cmd.Dir = c.Dir
	cmd.Env = append(append(os.Environ(), c.Env...), cookieName+"="+cookie.value)
	cmd.Stdout, cmd.Stderr = write, write
	leadGroup(cmd)

	i := &instance{cookie: cookie, log: new(ring), exited: make(chan struct{})}
	started := make(chan error)
	go func() {
		// Linux kills the child when the thread that started it ends, not the program: the thread must stay as long as it does.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		write.Close()
		if err != nil {
			read.Close()
			started <- err
			return
		}
		i.pid = cmd.Process.Pid
		guard := startGuard(i.pid, cookie.value)
		started <- nil
		i.watch(cmd, read)
		guard.end()
		close(i.exited)
	}()
	if err := <-started; err != nil {
		return nil, err
	}
	return i, nil
}

// watch sees the process to its end.
func (i *instance) watch(cmd *exec.Cmd, output *os.File) {
	copied := make(chan struct{})
	go func() {
		defer close(copied)
		_, _ = io.Copy(i.log, output)
	}()

	awaitEnd(cmd)
	when := time.Now()
	i.mu.Lock()
	i.gone = true
	killGroup(i.pid) // what it leaves behind; its number is still its own, it is not reaped yet
	_ = cmd.Wait()   // how it ended is in ProcessState
	i.mu.Unlock()
	awaitGroupGone(i.pid)
	_ = killCarriers(i.cookie) // what has left the group; what cannot be killed now is tried again by Close

	timer := time.NewTimer(outputLimit)
	select {
	case <-copied:
	case <-timer.C:
	}
	timer.Stop()
	output.Close()
	<-copied

	i.exit = Exit{Witnessed: true, PID: i.pid, Code: cmd.ProcessState.ExitCode(), Signal: endedBy(cmd.ProcessState), When: when}
}

func (i *instance) over() bool {
	select {
	case <-i.exited:
		return true
	default:
		return false
	}
}

// signal runs send unless the process has ended.
func (i *instance) signal(send func(pid int) error) error {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.gone {
		return ErrNotRunning
	}
	return send(i.pid)
}

func (i *instance) kill() { _ = i.signal(killGroup) }

// terminate also asks those that have left the group, and wakes them all: who is paused would never see it.
func (i *instance) terminate() {
	_ = i.signal(terminateGroup)
	signalOutside(i.pid, i.cookie, terminating)
}

// freeze stops or wakes the command and all that it started, those that have left its group last.
func (i *instance) freeze(still bool) error {
	if !still {
		if err := i.signal(resumeGroup); err != nil {
			return err
		}
		i.wakeLeft()
		return nil
	}
	if err := i.signal(pauseGroup); err != nil {
		return err
	}
	awaitStill(i.pid)
	left := stillOutside(i.pid, i.cookie)
	i.mu.Lock()
	i.left = left
	i.mu.Unlock()
	if i.over() {
		return ErrNotRunning
	}
	return nil
}

// wakeLeft lets those go on that were stopped outside of the group: since then all stood still, so that there are no others.
func (i *instance) wakeLeft() {
	i.mu.Lock()
	left := i.left
	i.left = nil
	i.mu.Unlock()
	wake(left, i.cookie)
}
