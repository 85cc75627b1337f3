// Command oncespec proves whether a write API does a retried write exactly once.
//
// One file a verb, no logic: main.go parses, run.go calls the suite and renders the report, mock.go serves the reference, and
// so on. Start reading at main.go.
package main
