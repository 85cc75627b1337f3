package provider_test

import (
	"context"
	"fmt"
	"net/http"

	"github.com/oncespec/oncespec/mockapi/provider"
)

// The provider books, but its answer is held back: the moment at which a target that is killed leaves its work half done.
func ExampleGate_Hold() {
	gate, err := provider.Listen("", provider.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer gate.Close()
	hold := gate.Hold(provider.AfterBooking, provider.ContainsAny("order-17"), 1)

	answered := make(chan error)
	go func() {
		request, _ := http.NewRequest("POST", gate.URL()+"/book/order-17", nil)
		request.Header.Set("Idempotency-Key", "k1")
		_, err := http.DefaultClient.Do(request)
		answered <- err
	}()

	call, _ := hold.Arrived(context.Background())
	fmt.Println(call.Key, "booked:", call.Booked)
	hold.Drop()
	fmt.Println("answer lost:", <-answered != nil)
	fmt.Println("bookings:", len(gate.Bookings(provider.KeyIn("k1"))))
	// Output:
	// k1 booked: true
	// answer lost: true
	// bookings: 1
}
