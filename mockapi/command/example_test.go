package command_test

import (
	"fmt"

	"github.com/oncespec/oncespec/mockapi/command"
)

func ExampleDecode() {
	type order struct {
		Item string `json:"item"`
	}
	_, err := command.Decode[order]([]byte(`{"itme": "book"}`))
	fmt.Println(err)
	// Output: 422 invalid_request: The request is invalid; /itme: unknown field
}
