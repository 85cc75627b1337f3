package flow

import (
	"bytes"
	"strings"
	"testing"

	"github.com/oncespec/oncespec/mockapi/reference"
)

// Whatever an answer's body is, it is stored and read back whole; a long one takes little room.
func TestABodyIsKeptWhole(t *testing.T) {
	t.Parallel()
	for name, body := range map[string][]byte{
		"none": nil, "short": []byte("{}"), "binary": {0, 255, 10}, "just packed": bytes.Repeat([]byte{7}, packFrom),
		"just not packed": bytes.Repeat([]byte{7}, packFrom-1), "long": []byte(strings.Repeat("one line of a text\n", 60000)),
	} {
		claim, err := encode(Entry{Record: reference.Record{Key: "k", State: reference.Succeeded, Answer: reference.Answer{Status: 201, Body: body}}})
		if err != nil {
			t.Fatal(name, err)
		}
		if len(body) >= packFrom && len(claim.Data) > len(body)/4 {
			t.Errorf("%s: %d bytes are kept in %d", name, len(body), len(claim.Data))
		}
		got, err := decode(claim)
		if err != nil || !bytes.Equal(got.Answer.Body, body) || got.Answer.Status != 201 {
			t.Errorf("%s: %d bytes came back as %d, %v", name, len(body), len(got.Answer.Body), err)
		}
		claim.Data = bytes.Replace(claim.Data, []byte(`"packed":"`), []byte(`"packed":"AAAA`), 1)
		if _, err := decode(claim); (err == nil) != (len(body) < packFrom) {
			t.Errorf("%s: a record that is spoilt is read: %v", name, err)
		}
	}
}
