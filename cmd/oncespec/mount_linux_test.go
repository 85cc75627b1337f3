package main_test

import (
	"fmt"
	"syscall"
)

// mount puts a volume with little space at a folder.
func mount(dir string, kilobytes int) error {
	return syscall.Mount("tmpfs", dir, "tmpfs", 0, fmt.Sprintf("size=%dk", kilobytes))
}

func unmount(dir string) error { return syscall.Unmount(dir, syscall.MNT_DETACH) }
