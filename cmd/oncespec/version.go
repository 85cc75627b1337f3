package main

import (
	"fmt"
	"runtime/debug"
)

// VersionCmd prints the version.
type VersionCmd struct{}

// Help is shown under --help.
func (VersionCmd) Help() string { return "Example:\n  oncespec version" }

// Run is called by kong.
func (VersionCmd) Run(io streams) error {
	_, err := fmt.Fprintln(io.out, "oncespec", version())
	return err
}

// version is the module's, or the revision it was built from.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && len(s.Value) >= 12 {
			return "dev-" + s.Value[:12]
		}
	}
	return "dev"
}
