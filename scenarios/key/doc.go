// Package key asks what a key is: which texts are one, how they are told apart, how far one reaches, and how long.
//
// Scenarios act (syntax.go, identity.go, scope.go, in_path.go in one each, lifetime.go in three), some of them in several
// trials, and the rules beside them judge, each on its own trial. The package must not know what a retry is answered; that is
// the replay pack's. Start reading at identity.go, then identity_rule.go.
package key
