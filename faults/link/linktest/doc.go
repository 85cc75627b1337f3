// Package linktest plays what is at the ends of a link and in between, for tests: a server that takes connections, and the
// Toxiproxy that somebody else runs, here or in a process of its own.
//
// It must not know what is sent. Start reading at [Start].
package linktest
