// Package crash holds what happens when the target is killed in the middle of its work, and what it still knows afterwards.
//
// Where the target stood when it was killed is never assumed: the procedure looks before it kills, and the rules go by what
// was seen. A target that calls downstream after its commit is thus not accused of what it cannot show. The package must
// not know how a target is killed. Start reading at after_claim.go, then killed_rule.go.
package crash
