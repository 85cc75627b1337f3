package valve_test

import (
	"context"
	"fmt"

	"github.com/oncespec/oncespec/faults/valve"
)

func ExampleValve() {
	ctx := context.Background()
	var v valve.Valve[string]
	hold := v.Hold(func(caller string) bool { return caller == "ann" }, 1)

	fate := make(chan valve.Outcome)
	go func() { fate <- v.Pass(ctx, "ann") }()
	came, _ := hold.Wait(ctx, 1)
	fmt.Println("held:", came)
	fmt.Println("bob:", v.Pass(ctx, "bob").Fate)

	hold.Drop()
	fmt.Println("ann:", (<-fate).Fate)
	// Output:
	// held: [ann]
	// bob: through
	// ann: dropped
}
