package life

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// carrierLimit bounds the killing of processes that carry a cookie: one may fork as fast as it is killed.
const carrierLimit = 2 * time.Second

// ticksPerSecond is the unit in which the system says when a process started, on every machine that Go runs on.
const ticksPerSecond = 100

// What is done to those outside of a group.
var (
	terminating = []unix.Signal{unix.SIGTERM, unix.SIGCONT}
	pausing     = []unix.Signal{unix.SIGSTOP}
	waking      = []unix.Signal{unix.SIGCONT}
)

// carrier is a process that carries a cookie.
type carrier struct {
	pid, group int
	state      string
}

// carriers finds the processes that carry a cookie and have not ended.
func carriers(c cookie) (found []carrier) {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil
	}
	later := numbered().since(c.from) // asked after the names were read: none of them is newer
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil || pid == os.Getpid() || !later(pid) {
			continue
		}
		fields := statOf(pid)
		if len(fields) < 20 || fields[0] == "Z" || fields[0] == "X" {
			continue
		}
		// Who started before the cookie was made does not carry it; most have.
		if started, err := strconv.ParseInt(fields[19], 10, 64); err != nil || started < c.since || !carries(pid, c.value) {
			continue
		}
		group, _ := strconv.Atoi(fields[2])
		found = append(found, carrier{pid, group, fields[0]})
	}
	return found
}

// ticks is now, as the start of a process that starts now would be given; a little earlier, to be on the safe side.
func ticks() int64 {
	var now unix.Timespec
	if unix.ClockGettime(unix.CLOCK_BOOTTIME, &now) != nil {
		return 0
	}
	return now.Nano()/int64(time.Second/ticksPerSecond) - ticksPerSecond
}

// carries tells whether a process was started with the cookie. Those of other users cannot be read.
func carries(pid int, value string) bool {
	environment, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
	if err != nil {
		return false
	}
	want := []byte(cookieName + "=" + value)
	for variable := range bytes.SplitSeq(environment, []byte{0}) {
		if bytes.Equal(variable, want) {
			return true
		}
	}
	return false
}

// statOf is what stands after a process's name: state, parent, group, …; nil if there is no such process.
func statOf(pid int) []string {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return nil
	}
	// pid (name) state parent group …; the name may hold anything, brackets included.
	return strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
}

// send sends a signal to a process that carries the cookie, and to none that has its number since.
func (c carrier) send(k cookie, s unix.Signal) error {
	fd, err := unix.PidfdOpen(c.pid, 0)
	if errors.Is(err, unix.ENOSYS) {
		return syscall.Kill(c.pid, s)
	}
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	if !carries(c.pid, k.value) {
		return unix.ESRCH
	}
	return unix.PidfdSendSignal(fd, s, nil, 0)
}

// killCarriers kills all that carry the cookie, and returns when there is none.
func killCarriers(k cookie) error {
	for end := time.Now().Add(carrierLimit); ; time.Sleep(firstPause) {
		found := carriers(k)
		if len(found) == 0 {
			return nil
		}
		var refused error
		for _, c := range found {
			if err := c.send(k, unix.SIGKILL); err != nil && !errors.Is(err, unix.ESRCH) {
				refused = err
			}
		}
		if time.Now().After(end) {
			return fmt.Errorf("process %d lives on: %w", found[0].pid, errors.Join(refused, ErrRunning))
		}
	}
}

// signalOutside signals those that carry the cookie and have left the group.
func signalOutside(group int, k cookie, signals []unix.Signal) {
	sendAll(outside(group, carriers(k)), k, signals)
}

func outside(group int, all []carrier) []carrier {
	return slices.DeleteFunc(all, func(c carrier) bool { return c.group == group })
}

func sendAll(to []carrier, k cookie, signals []unix.Signal) {
	for _, c := range to {
		for _, s := range signals {
			_ = c.send(k, s)
		}
	}
}

// stillOutside stops (SIGSTOP) the processes that carry the cookie and have left the group, and returns them once every
// process with the cookie is stopped: from then on none of them can start another.
func stillOutside(group int, k cookie) (left []carrier) {
	for end := time.Now().Add(groupLimit); ; time.Sleep(firstPause) {
		all := carriers(k)
		moving := slices.ContainsFunc(all, func(c carrier) bool { return c.state != "T" && c.state != "t" })
		left = outside(group, all)
		if !moving || time.Now().After(end) {
			return left
		}
		sendAll(left, k, pausing)
	}
}

// wake lets those go on that stood still outside of their group.
func wake(left []carrier, k cookie) { sendAll(left, k, waking) }
