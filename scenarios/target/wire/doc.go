// Package wire puts one request on one connection, byte for byte, and reads the one answer.
//
// net/http sends a request again on its own when a reused connection breaks, and it does so for every request that carries an
// Idempotency-Key: a lost answer would become a second execution that nobody asked for. Nothing here sends twice, follows a
// redirect, adds a header or asks for compression. Answers come from hostile places: all that is read is bounded, and what
// was not a whole answer is told apart from one that was.
//
// The package must not know what a key, an intent or an effect is, nor who made the connection. Start reading at Do, then
// Bytes.
package wire
