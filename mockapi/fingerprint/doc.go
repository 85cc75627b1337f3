// Package fingerprint tells whether two requests mean the same: a canonical form of JSON with exact decimals, and a digest
// over the parts of a request that a contract counts.
//
// The canonical form is RFC 8785's (member order by UTF-16, least escapes, no white space) with one difference. RFC 8785
// reads numbers as float64 and so merges 2^53 with 2^53+1. Here a number keeps its exact decimal value, laid out as RFC 8785
// lays out numbers; the two forms agree byte for byte wherever a number is written with no more digits than its float64
// needs. So 1999, 1999.0 and 1.999e3 are one number, 1e400 and 1e999 are two, and -0 is 0, as in RFC 8785.
//
// What RFC 8785 presumes is refused with an Error that has the offset: duplicate names, lone surrogates, invalid UTF-8, text
// after the value; and so is nesting beyond MaxDepth. Work and output are linear in the input but for sorting; an exponent
// is never expanded.
//
// The package must not know how a request reached it or what follows from a difference; it does no I/O. Start reading at
// Canonical, then Of.
package fingerprint
