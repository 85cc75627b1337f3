package main_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestCanonPrintsFormAndDigest(t *testing.T) {
	t.Parallel()
	body := file(t, "body.json", ` {"b": 1.0, "a": [1e400, 9007199254740993, null], "t": "x"} `)
	const form = `{"a":[1e+400,9007199254740993,null],"b":1,"t":"x"}`
	for _, c := range []struct {
		name string
		args []string
		want string
	}{
		{"both", []string{body}, form + "\nsha256 " + sha256Of(form) + "\n"},
		{"form only", []string{"--form", body}, form},
		{"digest only", []string{"--digest", body}, sha256Of(form) + "\n"},
		{"what counts", []string{"--form", "--only", "/b", "--only", "/none/x", body}, `{"b":1}`},
		{"what does not count", []string{"--form", "--exclude", "/t", "--null-is-absent", body}, `{"a":[1e+400,9007199254740993,null],"b":1}`},
		{"two files, as checksums are listed", []string{"--digest", body, body}, sha256Of(form) + "  " + body + "\n" + sha256Of(form) + "  " + body + "\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := oncespec(t, append([]string{"canon"}, c.args...)...).want(t, 0).out; got != c.want {
				t.Errorf("found\n%s\nexpected\n%s", got, c.want)
			}
		})
	}
}

func sha256Of(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

func TestCanonJSON(t *testing.T) {
	t.Parallel()
	var got []struct{ File, Form, Digest string }
	out := oncespec(t, "canon", "--json", file(t, "a.json", `{"a":"<&"}`)).want(t, 0).out
	if err := json.Unmarshal([]byte(out), &got); err != nil || len(got) != 1 || got[0].Form != `{"a":"<&"}` || got[0].Digest != sha256Of(got[0].Form) {
		t.Errorf("found %s (%v)", out, err)
	}
}

func TestCanonReadsStandardInput(t *testing.T) {
	t.Parallel()
	p := command(t, "canon", "--set", "/a", "--form")
	p.Stdin = strings.NewReader(`{"a":[2,1,1.0]}`)
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	if got := p.wait(t).want(t, 0).out; got != `{"a":[1,1,2]}` {
		t.Errorf("found %s", got)
	}
}

func TestCanonRefusesWithThePlace(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, body string
		says       []string
	}{
		{"duplicate name", "{\"a\":1,\n \"a\":2}", []string{"body.json:2:2", "duplicate name"}},
		{"lone surrogate", `["\ud800"]`, []string{"body.json:1:3", "lone surrogate"}},
		{"invalid UTF-8", "[\"\xff\"]", []string{"body.json:1:3", "invalid UTF-8"}},
		{"too deep", strings.Repeat("[", 2000), []string{"body.json:1:1001", "too deep"}},
		{"two values", "1\n2", []string{"body.json:2:1", "trailing data"}},
		{"nothing", "", []string{"body.json:1:1", "end of the body"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			oncespec(t, "canon", file(t, "body.json", c.body)).want(t, 4).says(t, c.says...)
		})
	}
	oncespec(t, "canon", filepath.Join(t.TempDir(), "nowhere.json")).want(t, 4).says(t, "nowhere.json")
	oncespec(t, "canon", os.TempDir()).want(t, 4).says(t, "cannot be read")
	oncespec(t, "canon", "--form", "--digest", file(t, "body.json", "1")).want(t, 4)
}
