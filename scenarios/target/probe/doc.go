// Package probe reads the state of a target: what an intent did, not what it was answered.
//
// A Probe is one effect of the configuration, made ready: a list of resources, a number, rows of a database, lines of a
// command. (Bookings at the gate are named and numbered here with the others, but read by whoever has the gate.) Its Reading
// says how many effects belong to one intent. Queries and filters only narrow what is read; which items belong to the intent
// is decided here, by its markers, so that a list which ignores its filter changes nothing. A probe that cannot tell intents
// apart says so (Shared): its readings mean something only as the difference to one taken before (Reading.Since).
//
// Targets are hostile: lists that never end, answers of a gigabyte, commands that hang. Everything is bounded, in time by the
// context. A probe writes nothing and follows no link away from the target.
//
// The package must not know scenarios, histories or verdicts. Start reading at All, then Probe.Read.
package probe
