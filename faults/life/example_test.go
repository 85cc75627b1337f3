//go:build unix

package life_test

import (
	"context"
	"fmt"

	"github.com/oncespec/oncespec/faults/life"
)

func ExampleProcess() {
	ctx := context.Background()
	target, err := life.NewProcess(life.Command{Argv: []string{"sleep", "1000"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer target.Close()
	if err := target.Start(ctx); err != nil {
		fmt.Println(err)
		return
	}
	exit, err := target.Kill(ctx)
	fmt.Println(exit.Signal, exit.Witnessed, err)
	// Output: SIGKILL true <nil>
}
