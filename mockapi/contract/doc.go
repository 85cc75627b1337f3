// Package contract says what a target promises about repeated writes.
//
// A Contract is a named profile (profiles/*.yaml, each with a note on how well it is sourced) plus overrides; Decode reads
// the two together, Validate says what is wrong with the result. The mock server keeps one, the rules judge against one:
// Classify names what an answer means under it, Refuses whether an answer is an admissible refusal, Encode, DecodeKey and
// Key.New are the syntax of its keys.
//
// A parameter that nothing acts on does not exist here: the configuration refuses it as unknown. The zero value of a
// parameter means "unspecified": anything that keeps the work at one effect conforms, and the report says what was seen.
//
// The package must not know how requests are sent, recorded or judged, and does no I/O. Start reading at Contract, then
// Classify.
package contract
