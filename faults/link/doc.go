// Package link breaks the connection between one client and one upstream, and proves what it did.
//
// A [Wire] is a Toxiproxy proxy, in this process, that lives for one attempt (or for the connections of one burst) and carries
// one [Plan]. Toxics of our own do the work. They count every byte, and they drain what they do not forward: those that
// Toxiproxy brings along stop reading, which leaves goroutines behind and makes the upstream notice a fault that only the
// client should see.
//
// A [Relay] is the other kind of link: a long-lived one, such as that between a program and its database, whose faults (hold,
// delay, cut) come and go while its connections live.
//
// It knows bytes, not HTTP: "the first response byte" is whatever the upstream sends first. Under HTTP/1.1 that is the start
// of an answer (or of an interim one, if the client asked for it); under HTTP/2 it would be connection set-up, so do not speak
// HTTP/2 through a wire whose plan acts on the response.
//
// What TCP through Toxiproxy cannot carry: a half-close (a client that closes its sending side has left) and a reset from the
// upstream (it reaches the client as an ordinary close).
//
// An upstream that only a Toxiproxy of somebody else's can reach is led to by a [Remote]; what that takes from the proofs is
// said there, and what is still known of a request in [Links.OpenBehind]. A [RemoteRelay] is a relay there.
//
// Start reading at [Links.Open], then [Plan], then [Proof]; for relays at [Links.Relay], then [Halt]. The faults of a wire are
// in request.go and response.go.
package link
