package target

import (
	"maps"

	"github.com/oncespec/oncespec/faults/journal"
	"github.com/oncespec/oncespec/faults/life"
	"github.com/oncespec/oncespec/faults/link"
)

// Enders end what a run that was killed left of its target and around it, for journal.Sweep.
func Enders() map[string]journal.Ender {
	all := map[string]journal.Ender{journal.Scratch: journal.EndScratch, link.RemoteProxy: link.EndRemoteProxy}
	maps.Copy(all, life.Enders())
	return all
}
