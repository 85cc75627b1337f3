package provider

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
)

// anotherPayload is why a good provider does not take a call under a downstream key that it knows for something else.
const anotherPayload = "something else was booked under this downstream key"

// digest is a payload in short: equal ones mean the same.
type digest [sha256.Size]byte

// digestOf sums up the body of a call. The order of members and white space in JSON do not count. Of a body that is not
// recorded whole the length counts for the rest.
func digestOf(c *Call) digest {
	body := c.Body
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	var value any
	if c.BodyBytes == int64(len(body)) && decoder.Decode(&value) == nil && !decoder.More() {
		if canonical, err := json.Marshal(value); err == nil {
			body = canonical
		}
	}
	sum := sha256.New()
	fmt.Fprintln(sum, max(0, c.BodyBytes-int64(len(c.Body))))
	sum.Write(body)
	return digest(sum.Sum(nil))
}
