package mockapi_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/oncespec/oncespec/mockapi"
)

func ExampleNew() {
	server, err := mockapi.New(mockapi.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer server.Close()
	if err := server.Recover(context.Background()); err != nil {
		fmt.Println(err)
		return
	}

	for _, title := range []string{"water on the floor", "water on the floor", "fire"} {
		request := httptest.NewRequest(http.MethodPost, "/v1/tickets", strings.NewReader(`{"project": "ops", "title": "`+title+`"}`))
		request.Header.Set("Authorization", "Bearer acme-token")
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("Idempotency-Key", `"8e03978e-40d5-43dd-bc93-6894a57f9324"`)
		answer := httptest.NewRecorder()
		server.ServeHTTP(answer, request)
		fmt.Printf("%d %s, replayed: %q\n", answer.Code, title, answer.Header().Get("Idempotent-Replayed"))
	}
	// Output:
	// 201 water on the floor, replayed: ""
	// 201 water on the floor, replayed: "true"
	// 422 fire, replayed: ""
}
