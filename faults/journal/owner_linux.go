package journal

import (
	"os"
	"strconv"
	"strings"
)

// place names the host and the space of process numbers: containers on one host count each for themselves.
func place() string {
	host, _ := os.Hostname()
	space, _ := os.Readlink("/proc/self/ns/pid")
	return host + " " + space
}

// startOf is when a process was started; empty if there is none. It does not move when the clock is set.
func startOf(pid int) string {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return ""
	}
	boot, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	// pid (name) state … with the ticks since boot in the 22nd place; the name may hold anything, brackets included.
	fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
	if len(fields) < 20 || fields[0] == "Z" || fields[0] == "X" {
		return ""
	}
	return strings.TrimSpace(string(boot)) + " " + fields[19]
}
