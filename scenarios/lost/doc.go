// Package lost holds what happens when an exchange breaks: the answer is dropped, cut, reset, replaced or late, the request
// comes in parts or not whole, the client goes away. All of it acts on the connection; the target is not told.
//
// Each scenario is a file with the procedure that acts; the file of the same name with _rule says what proves that the fault
// landed. What all of them ask in the end, one effect and its answer after the retry, is Once in package rule. The package
// must not know how a connection is broken. Start reading at response.go, then response_rule.go.
package lost
