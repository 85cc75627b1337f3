// Package rewrite changes one request into another, and knows which changes keep its meaning.
//
// A Rewrite turns a request A into B, to be sent under A's key: other member order, another spelling of a number, one more
// cent, a reordered array. Its Class says what a correct API does with B. The catalogue is data; a rewrite acts on a Sample,
// which is one valid request of an operation together with what may change in it: unique markers never change in value, and
// changes of meaning stay within what the sample's owner allows, so that B is a request the API would accept under a key of
// its own. Where a sample offers no suitable place, a rewrite prepares both sides (A gets 2^53, B gets 2^53+1), so it always
// yields a Pair.
//
// JSON is handled as an ordered tree that keeps the text of every number and string as written: what looks alike to a decoder
// is what these rewrites are about.
//
// The package must not know how requests are sent, what keys are, what was answered or how that is judged. It does no I/O and
// has no randomness of its own. Start reading at Rewrite, then Sample, then Catalogue.
package rewrite
