// Package runtest runs whole packs against a small API in the test's own process, for tests that ask whether procedures and
// rules together tell right from wrong: targets that do it right in another way than the built-in mock must not be accused,
// and targets with a defect that the mock's variants do not have must be.
//
// It must not know how a verdict comes about. Start reading at Verdicts, then API.
package runtest
