package main

import "github.com/oncespec/oncespec/mockapi/racy"

// RacyCmd serves the known-racy server: a run races it before the target, to say what its races can see.
type RacyCmd struct {
	Listen string `arg:"" placeholder:"HOST:PORT"`
	Store  string `arg:"" optional:"" placeholder:"HOST:PORT"`
}

// Run is called by kong.
func (c *RacyCmd) Run(io streams) error {
	args := []string{c.Listen}
	if c.Store != "" {
		args = append(args, c.Store)
	}
	if code := racy.Main(args, io.err); code != 0 {
		return &exitError{code: code}
	}
	return nil
}
