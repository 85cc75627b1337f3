// Package contract says what a target promises about repeated writes.
//
// A Contract is a named profile (profiles/*.yaml) plus overrides. The mock server keeps one, the rules judge against one,
// and Classify names what an answer means under it. A parameter that nothing acts on does not exist here: the
// configuration refuses it as unknown. The zero value of a parameter means "unspecified": anything that keeps the work at
// one effect conforms, and the report says what was seen.
//
// The package must not know how requests are sent, recorded or judged. Start reading at Contract, then Classify.
package contract
