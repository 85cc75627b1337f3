// Package target drives the API under test: its configuration, its requests, the probes of its state and its life.
//
// A procedure acts on a Stage; the stage sends, faults, observes, and turns every proof into history. The package gives no
// verdicts and must not know rules or reports. Start reading at Stage, then Config.
package target
