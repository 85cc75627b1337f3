//go:build unix

package journal

import (
	"io/fs"
	"os"
	"syscall"
)

// ours tells whether the folder is this user's, and nobody else may write to it.
func ours(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Getuid() && info.Mode().Perm()&0o022 == 0
}
