package burst_test

import (
	"context"
	"fmt"
	"time"

	"github.com/oncespec/oncespec/faults/burst"
)

func ExampleFire() {
	shot := burst.Shot{Send: func(_ context.Context, f *burst.Flight) {
		f.Written = time.Now()
		// … the request is out, and now the answer begins:
		f.Answered = time.Now()
	}}
	flights := burst.Fire(context.Background(), burst.Barrier(), []burst.Shot{shot, shot, shot}).Flights
	fmt.Println(len(flights), "flights")
	fmt.Println("some may have been in the air together:", burst.Overlap(flights) <= 3)
	// Output:
	// 3 flights
	// some may have been in the air together: true
}
