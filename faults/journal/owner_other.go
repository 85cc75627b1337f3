//go:build !linux

package journal

import (
	"os"
	"strconv"

	"github.com/shirou/gopsutil/v4/process"
)

func place() string {
	host, _ := os.Hostname()
	return host
}

// startOf is when a process was started; empty if there is none.
func startOf(pid int) string {
	p, err := process.NewProcess(int32(pid))
	if err != nil {
		return ""
	}
	at, err := p.CreateTime()
	if err != nil {
		return ""
	}
	return strconv.FormatInt(at, 10)
}
