package provider

import (
	"net/http"
	"strings"
	"testing"
)

func TestWhatIsForgottenMakesRoomAndBooksAnew(t *testing.T) {
	t.Parallel()
	gate, err := Listen("127.0.0.1:0", Options{MaxCalls: 3})
	if err != nil {
		t.Fatal(err)
	}
	defer gate.Close()
	call := func(key string) int {
		req, err := http.NewRequest(http.MethodPost, gate.URL()+"/bookings", strings.NewReader(`{}`))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Idempotency-Key", key)
		client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
		resp, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		return resp.StatusCode
	}
	call("key-number-1")
	call("key-number-1")
	call("key-number-2")
	if gate.Unrecorded() != 0 || len(gate.Bookings(nil)) != 2 {
		t.Fatalf("found %d bookings, expected 2", len(gate.Bookings(nil)))
	}
	gate.Forget(ContainsAny("key-number-1"))
	left := gate.Calls(nil)
	if len(left) != 1 || left[0].Key != "key-number-2" || left[0].Seq != 3 {
		t.Fatalf("left is %+v", left)
	}
	call("key-number-1")
	call("key-number-2")
	calls := gate.Calls(nil)
	if gate.Unrecorded() != 0 || len(calls) != 3 {
		t.Fatalf("%d calls are recorded, %d found no room", len(calls), gate.Unrecorded())
	}
	if again := calls[1]; !again.Booked || again.Seq != 4 {
		t.Errorf("what was forgotten did not book anew: %+v", again)
	}
	if kept := calls[2]; !kept.Repeat {
		t.Errorf("what was kept booked anew: %+v", kept)
	}
}
