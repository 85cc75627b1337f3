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
// Where to look: stage.go and scenario.go for what a procedure sees, send.go and flight.go for an attempt, intent.go and
// unique.go for what is sent, observe.go and crowd.go for what is counted, hold.go and trace.go for the gate, life.go for
// kills, instance.go and replica.go for one of several servers, through.go for a Toxiproxy of somebody else's, ladder.go, warm.go and streams.go for how bursts are brought together, power.go for what that can see, steady.go and change.go for the steady state, redact.go and secrets.go for what is never shown.
package target
