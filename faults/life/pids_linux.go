package life

import (
	"bytes"
	"os"
	"strconv"
	"strings"
	"sync"
)

// numbering is a position in the sequence in which the kernel hands out process ids: in turn, starting over at the highest.
// Processes started after that position are found among the few ids handed out since, not among all.
type numbering struct {
	last  int    // the number given out last; 0: not known
	forks uint64 // how often the system made a process or a thread
}

// numbered is where the system is now. Where /proc is not our own, nothing can be told.
func numbered() numbering {
	if !ownProc() {
		return numbering{}
	}
	load, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return numbering{}
	}
	stat, err := os.ReadFile("/proc/stat")
	if err != nil {
		return numbering{}
	}
	fields := strings.Fields(string(load))
	_, counted, found := bytes.Cut(stat, []byte("\nprocesses "))
	if len(fields) == 0 || !found {
		return numbering{}
	}
	counted, _, _ = bytes.Cut(counted, []byte("\n"))
	last, err := strconv.Atoi(fields[len(fields)-1])
	forks, also := strconv.ParseUint(string(counted), 10, 64)
	if err != nil || also != nil {
		return numbering{}
	}
	return numbering{last, forks}
}

// since tells which ids were handed out after an earlier position. Where that cannot be known, because the sequence may have
// gone all the way round, every id may be one.
func (n numbering) since(earlier numbering) func(pid int) bool {
	highest := highestPID()
	if n.last == 0 || earlier.last == 0 || highest == 0 || n.forks < earlier.forks || n.forks-earlier.forks > highest/2 {
		return func(int) bool { return true }
	}
	if earlier.last <= n.last {
		return func(pid int) bool { return earlier.last < pid && pid <= n.last }
	}
	return func(pid int) bool { return earlier.last < pid || pid <= n.last }
}

// ownProc tells whether /proc counts processes as this one does.
var ownProc = sync.OnceValue(func() bool {
	self, err := os.Readlink("/proc/self")
	return err == nil && self == strconv.Itoa(os.Getpid())
})

// highestPID is where the system begins again; 0: not known.
var highestPID = sync.OnceValue(func() uint64 {
	text, err := os.ReadFile("/proc/sys/kernel/pid_max")
	if err != nil {
		return 0
	}
	n, _ := strconv.ParseUint(strings.TrimSpace(string(text)), 10, 64)
	return n
})
