package config

import (
	"regexp"
	"time"
)

// clockToken is how a clock is told how far to go.
var clockToken = regexp.MustCompile(`\{duration\}|\$\{?DURATION\b`)

// Clock moves the target's time forward, as far as the lifetimes of keys go. It has exactly one of http and command; {duration}
// in it is by how much, in seconds: "86398s".
type Clock struct {
	HTTP    *Request      `json:"http,omitempty"`    // a request, answered 2xx once the time has moved
	Command string        `json:"command,omitempty"` // a shell command that returns once it has; also told as $DURATION
	Within  time.Duration `json:"within,omitempty"`  // default 30s: what is old is removed meanwhile
}

func (k *checker) clock(c *Clock) {
	const at = "/target/clock"
	may := allow{"duration", "port", "env"}
	switch k.exactlyOne(at, "http", "command") {
	case "http":
		k.message(at+"/http", c.HTTP, may)
		k.wantsDuration(at+"/http", c.HTTP.Path+string(c.HTTP.Body)+c.HTTP.BodyText, c.HTTP.Headers)
	case "command":
		k.wantsDuration(at+"/command", c.Command, nil)
	}
	if k.has(at+"/within") && c.Within <= 0 {
		k.add(at+"/within", c.Within.String(), "more than 0s")
	}
}

// wantsDuration refuses a clock that is not told how far to go.
func (k *checker) wantsDuration(at, text string, headers map[string]string) {
	for _, value := range headers {
		text += value
	}
	if !clockToken.MatchString(text) {
		k.add(at, "no {duration}", "one: it says by how much the time is to move")
	}
}
