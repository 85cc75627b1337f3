// Package linktest plays the Toxiproxy server that somebody else runs, for the tests of what reaches a target through one.
//
// It must not know what is sent through it. Start reading at [Start].
package linktest
