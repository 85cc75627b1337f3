// Package leaktest fails the tests of a package that leave something behind: goroutines, sockets, child processes, also ones
// that stand still, and whatever else the journal of what was started still holds, such as containers, paused targets, proxies
// and scratch folders.
//
// It must not know how any of it came to be. Start reading at [Main].
package leaktest
