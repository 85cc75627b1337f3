// Package verdict is what the rules say of a target, as data.
//
// It must not know how a verdict came about. Start reading at Verdict.
package verdict
