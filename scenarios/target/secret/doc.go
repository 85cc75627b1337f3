// Package secret knows secrets by their names and their shapes: header fields, members and parameters whose values no output
// may show, and how they stand in a line of a configuration.
//
// It must not know configurations, requests or histories; who has a value that is secret by its place says so. Start reading
// at Line.
package secret
