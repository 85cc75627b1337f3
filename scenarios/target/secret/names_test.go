package secret

import (
	"strings"
	"testing"
)

func TestATextThatMentionsNoNameHoldsNone(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"password", "Pass-Word", "ACCESS_TOKEN", "client.secret", "apiKey"} {
		if Member(name) && !Mentions(`{"a":1,"`+name+`":"x"}`) {
			t.Errorf("%s is overlooked", name)
		}
	}
	for _, name := range members {
		if !Mentions("x" + strings.ToUpper(name[:1]) + "_" + name[1:]) {
			t.Errorf("%s is overlooked", name)
		}
	}
	if Mentions(`{"project":"ops","title":"a"}`) {
		t.Error("a plain text is taken for one with a secret")
	}
}
