// Package faults is the overview of everything oncespec does to a target on purpose.
//
//   - [github.com/oncespec/oncespec/faults/link] breaks the connection between client and target: answers dropped, cut, reset,
//     held or replaced, requests cut or dribbled.
//   - [github.com/oncespec/oncespec/faults/burst] sends duplicates together and says how many truly overlapped.
//   - [github.com/oncespec/oncespec/faults/valve] holds callers until somebody decides what becomes of them.
//   - [github.com/oncespec/oncespec/faults/life] starts, kills, stops and pauses the target.
//   - [github.com/oncespec/oncespec/faults/journal] remembers what was started, for the next program to end where this one was killed.
//   - [github.com/oncespec/oncespec/faults/leaktest] fails tests that leave something behind.
//
// Every fault hands back a proof, a plain value that says whether and when it landed: without one nobody may conclude anything
// from what the target did next.
//
// The packages below know bytes, connections and processes. They know no HTTP, no operation, no contract, and they judge
// nothing.
package faults
