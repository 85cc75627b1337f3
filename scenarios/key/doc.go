// Package key asks what a key is: which texts are one, how they are told apart, and how far one reaches.
//
// Four scenarios act (syntax.go, identity.go, scope.go, in_path.go), most of them in several trials, and the rules beside
// them judge, each on its own trial. The package must not know what a retry is answered; that is the replay pack's. Start
// reading at identity.go, then identity_rule.go.
package key
