// Package historytest writes histories by hand, for the tests of rules.
//
// A builder fills in what every history has (ids, order, times, links that passed everything on), so that a test says only
// what its case is about. It must not know rules or targets. Start reading at New.
package historytest
