// Package target drives the API under test: its requests, the faults around them, the probes of its state, and its life.
//
// Start brings up a [Target] with what surrounds it: the gate that stands in for its downstream, its process, the links that
// carry every attempt. Steady finds out what the target does when nothing is wrong. A [Procedure] then acts on a [Stage]: it
// makes intents, sends attempts, and observes. The stage turns all of it, with the proof of every fault, into a history, and
// redacts while it records, so that nothing secret ever leaves this package.
//
// What it must not know: requirements and verdicts. A procedure may steer by what an answer means under the contract, and so
// does the stage; neither concludes anything. Reports, terminals and Ginkgo are far above.
//
// Where to look:
//
//	stage.go, scenario.go                     what a procedure sees
//	send.go, flight.go, direct.go             an attempt, from its description to its outcome
//	intent.go, unique.go, request.go          what is sent
//	observe.go, probes.go, actors.go          what is counted, and when a shared probe may be believed
//	hold.go, trace.go                         the gate downstream, and whose calls it holds
//	store.go, remote_store.go                    the link to the target's database
//	life.go, instance.go, replica.go          kills, restarts, and one of several servers
//	ladder.go, warm.go, streams.go, pile.go   how the requests of a burst are brought together; power.go: what that can see
//	steady.go, change.go, hints.go            the steady state, the changed payload, and what to tell where they fail
//	remote.go                                 a Toxiproxy that somebody else runs
//	redact.go, secrets.go                     what is never shown
package target
