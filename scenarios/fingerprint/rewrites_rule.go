package fingerprint

import (
	"github.com/oncespec/oncespec/scenarios/rewrite"
	"github.com/oncespec/oncespec/scenarios/rule"
)

// The requirements share the histories: each looks at the rewrites of its own kind.
var (
	sameMeaning  = over(func(r rewrite.Rewrite) bool { return kind(r) == rewrite.Same })
	otherMeaning = over(func(r rewrite.Rewrite) bool { return kind(r) == rewrite.Different })
	declared     = over(func(r rewrite.Rewrite) bool { return kind(r) == rewrite.ByContract })

	volatileRule = over(isVolatile)
)

// kind puts a rewrite to one requirement, whatever a contract makes of it.
func kind(r rewrite.Rewrite) rewrite.Class {
	switch {
	case isVolatile(r):
		return ""
	case r.Class == rewrite.SameByPractice:
		return rewrite.Same
	}
	return r.Class
}

func over(mine func(rewrite.Rewrite) bool) rule.Rule {
	return func(c rule.Case) []rule.Finding { return judgeAll(c, mine) }
}
