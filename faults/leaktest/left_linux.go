package leaktest

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// children lists the processes that this one has started and that are not gone, dead ones that nobody waited for among them.
func children() (list []string) {
	files, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, file := range files {
		stat, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		// pid (name) state parent …; the name may hold anything, brackets included.
		name, rest := stat[:bytes.LastIndexByte(stat, ')')+1], strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
		if len(rest) > 1 && rest[1] == strconv.Itoa(os.Getpid()) {
			list = append(list, fmt.Sprintf("process %s in state %s", name, rest[0]))
		}
	}
	return list
}

// sockets lists the sockets that this process has open.
func sockets() map[string]bool {
	open := map[string]bool{}
	links, _ := filepath.Glob("/proc/self/fd/*")
	for _, link := range links {
		if to, err := os.Readlink(link); err == nil && strings.HasPrefix(to, "socket:") {
			open[to] = true
		}
	}
	return open
}

func added(before map[string]bool) (list []string) {
	for s := range sockets() {
		if !before[s] {
			list = append(list, s)
		}
	}
	return list
}
