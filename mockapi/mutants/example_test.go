package mutants_test

import (
	"fmt"

	"github.com/oncespec/oncespec/mockapi/mutants"
)

func ExampleFind() {
	mutant, err := mutants.Find("replay-answers-200")
	fmt.Println(mutant.Defect, err)
	fmt.Println(mutant.Must)

	_, err = mutants.Find("replay-answer-200")
	fmt.Println(err)
	// Output:
	// The retry of a creation is answered 200 instead of 201. <nil>
	// [replay/same-status]
	// there is no mutant "replay-answer-200" (did you mean "replay-answers-200"?); `oncespec list mutants` shows all
}
